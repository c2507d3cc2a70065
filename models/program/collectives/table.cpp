#include "models/program/collectives/table.hpp"

#include <algorithm>
#include <vector>

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice gatherv_rows[] = {{any_size, any_bytes, gatherv_linear}};
constexpr Choice scatterv_rows[] = {{any_size, any_bytes, scatterv_linear}};
constexpr Choice scan_rows[] = {{any_size, any_bytes, scan_linear}};

std::vector<Kind> all_kinds() {
  using enum BytesOf;
  using enum DecidedBy;
  const std::string vector = "the vector", own = "the block of this rank",
                    each = "what this rank sends to each";
  return {
      {"barrier", "none", nothing, Root::none, block, choices_of_barrier()},
      {"bcast", "the whole message", message, Root::one, block, choices_of_bcast()},
      {"reduce", vector, message, Root::one, block, choices_of_reduce()},
      {"allreduce", vector, message, Root::none, block, choices_of_allreduce()},
      {"gather", own, equal_block, Root::one, block, choices_of_gather()},
      {"gatherv", own, own_block, Root::one, block, gatherv_rows},
      {"scatter", own, equal_block, Root::one, block, choices_of_scatter()},
      {"scatterv", own, own_block, Root::one, block, scatterv_rows},
      {"allgather", own, equal_block, Root::none, block, choices_of_allgather()},
      {"allgatherv", own, own_block, Root::none, mean_block, choices_of_allgatherv()},
      {"alltoall", each, equal_block, Root::none, block, choices_of_alltoall()},
      {"alltoallv", "what this rank sends to the rank `peer`", pair, Root::none, block,
       choices_of_alltoallv()},
      {"reduce_scatter", own, own_block, Root::none, total, choices_of_reduce_scatter()},
      {"reduce_scatter_block", own, equal_block, Root::none, block, choices_of_reduce_scatter_block()},
      {"scan", vector, message, Root::none, block, scan_rows},
      {"exscan", vector, message, Root::none, block, scan_rows},
  };
}

double deciding_bytes(const Kind& kind, const Call& call) {
  switch (kind.decided_by) {
    case DecidedBy::total:
      return call.total();
    case DecidedBy::mean_block:
      return call.total() / call.size;
    case DecidedBy::block:
      break;
  }
  return call.of(call.root);
}

Algorithm chosen(const Kind& kind, const Call& call) {
  const double bytes = deciding_bytes(kind, call);
  const auto fits = [&](const Choice& row) { return call.size < row.below_size && bytes < row.below_bytes; };
  return std::ranges::find_if(kind.choices, fits)->algorithm;
}

/// To and from the others.
double most_through_one_member(const Call& call) {
  double most = 0;
  for (int member = 0; member < call.size; ++member) {
    double sent = 0, received = 0;
    for (int step = 1; step < call.size; ++step) {
      sent += call.between(member, call.after(member, step));
      received += call.between(call.after(member, step), member);
    }
    most = std::max({most, sent, received});
  }
  return most;
}

}  // namespace

std::span<const Choice> choices_of_barrier() {
  static constexpr Choice rows[] = {
      {4, any_bytes, barrier_recursive_doubling},
      {8, any_bytes, barrier_linear},
      {64, any_bytes, barrier_recursive_doubling},
      {256, any_bytes, barrier_bruck},
      {512, any_bytes, barrier_tree},
      {1024, any_bytes, barrier_bruck},
      {4096, any_bytes, barrier_tree},
      {any_size, any_bytes, barrier_bruck},
  };
  return rows;
}

std::span<const Choice> choices_of_bcast() {
  static constexpr Choice rows[] = {
      {4, 32, bcast_chain},
      {4, 256, bcast_binary},
      {4, 512, bcast_chain},
      {4, 1024, bcast_knomial},
      {4, 32768, bcast_linear},
      {4, 131072, bcast_binary},
      {4, 262144, bcast_chain},
      {4, 524288, bcast_linear},
      {4, 1048576, bcast_binomial},
      {4, any_bytes, bcast_binary},
      {8, 64, bcast_binary},
      {8, 128, bcast_binomial},
      {8, 2048, bcast_binary},
      {8, 8192, bcast_binomial},
      {8, 1048576, bcast_linear},
      {8, any_bytes, bcast_chain},
      {16, 8, bcast_knomial},
      {16, 64, bcast_binary},
      {16, 4096, bcast_knomial},
      {16, 16384, bcast_binary},
      {16, 32768, bcast_binomial},
      {16, any_bytes, bcast_linear},
      {32, 4096, bcast_knomial},
      {32, 1048576, bcast_binomial},
      {32, any_bytes, bcast_scatter_allgather},
      {64, 2048, bcast_binomial},
      {128, any_bytes, bcast_knomial},
      {256, 2, bcast_binomial},
      {256, 16384, bcast_binary},
      {256, 32768, bcast_linear},
      {256, 65536, bcast_binary},
      {256, any_bytes, bcast_knomial},
      {1024, 16384, bcast_knomial},
      {1024, 32768, bcast_binary},
      {1024, any_bytes, bcast_knomial},
      {2048, 524288, bcast_knomial},
      {2048, any_bytes, bcast_scatter_allgather},
      {4096, 262144, bcast_knomial},
      {4096, any_bytes, bcast_scatter_allgather},
      {any_size, 8192, bcast_knomial},
      {any_size, 16384, bcast_binary},
      {any_size, 262144, bcast_knomial},
      {any_size, any_bytes, bcast_scatter_allgather},
  };
  return rows;
}

std::span<const Choice> choices_of_reduce() {
  static constexpr Choice rows[] = {
      {4, 8, reduce_linear},
      {4, 16, reduce_binary},
      {4, 32, reduce_chain},
      {4, 262144, reduce_linear},
      {4, any_bytes, reduce_chain},
      {8, 4096, reduce_binary},
      {8, 65536, reduce_chain},
      {8, 262144, reduce_binomial},
      {8, 524288, reduce_linear},
      {8, 1048576, reduce_binomial},
      {8, any_bytes, reduce_linear},
      {16, 8192, reduce_binary},
      {16, any_bytes, reduce_binomial},
      {32, 4096, reduce_binary},
      {any_size, any_bytes, reduce_binomial},
  };
  return rows;
}

std::span<const Choice> choices_of_allreduce() {
  static constexpr Choice rows[] = {
      {4, 8, allreduce_ring},
      {4, 4096, allreduce_recursive_doubling},
      {4, 8192, allreduce_ring},
      {4, 16384, allreduce_recursive_doubling},
      {4, 262144, allreduce_ring},
      {4, any_bytes, allreduce_rabenseifner},
      {8, 16, allreduce_ring},
      {8, 8192, allreduce_recursive_doubling},
      {8, any_bytes, allreduce_rabenseifner},
      {16, 8192, allreduce_recursive_doubling},
      {16, any_bytes, allreduce_rabenseifner},
      {32, 64, allreduce_ring},
      {32, 4096, allreduce_recursive_doubling},
      {32, any_bytes, allreduce_rabenseifner},
      {64, 128, allreduce_ring},
      {64, any_bytes, allreduce_rabenseifner},
      {128, 262144, allreduce_recursive_doubling},
      {128, any_bytes, allreduce_rabenseifner},
      {256, 131072, allreduce_nonoverlapping},
      {256, 262144, allreduce_recursive_doubling},
      {256, any_bytes, allreduce_rabenseifner},
      {512, 4096, allreduce_nonoverlapping},
      {512, any_bytes, allreduce_rabenseifner},
      {2048, 2048, allreduce_nonoverlapping},
      {2048, 16384, allreduce_recursive_doubling},
      {2048, any_bytes, allreduce_rabenseifner},
      {4096, 2048, allreduce_nonoverlapping},
      {4096, 4096, allreduce_ring},
      {4096, 16384, allreduce_recursive_doubling},
      {4096, any_bytes, allreduce_rabenseifner},
      {any_size, 2048, allreduce_nonoverlapping},
      {any_size, 16384, allreduce_ring},
      {any_size, 32768, allreduce_recursive_doubling},
      {any_size, any_bytes, allreduce_rabenseifner},
  };
  return rows;
}

std::span<const Choice> choices_of_gather() {
  static constexpr Choice rows[] = {
      {4, 2, gather_linear_sync},
      {4, 4, gather_linear},
      {4, 32768, gather_binomial},
      {4, 65536, gather_linear},
      {4, 131072, gather_binomial},
      {4, any_bytes, gather_linear_sync},
      {8, 1024, gather_binomial},
      {8, 8192, gather_linear},
      {8, 32768, gather_binomial},
      {8, 262144, gather_linear},
      {8, any_bytes, gather_linear_sync},
      {256, any_bytes, gather_binomial},
      {512, 2048, gather_binomial},
      {512, 8192, gather_linear},
      {any_size, any_bytes, gather_binomial},
  };
  return rows;
}

std::span<const Choice> choices_of_scatter() {
  static constexpr Choice rows[] = {
      {4, 2, scatter_linear_nb},         {4, 131072, scatter_linear},
      {4, 262144, scatter_linear_nb},    {4, any_bytes, scatter_linear},
      {8, 2048, scatter_binomial},       {8, 4096, scatter_linear},
      {8, 8192, scatter_binomial},       {8, 32768, scatter_linear},
      {8, 1048576, scatter_linear_nb},   {8, any_bytes, scatter_linear},
      {16, 16384, scatter_binomial},     {16, 1048576, scatter_linear_nb},
      {16, any_bytes, scatter_linear},   {32, 16384, scatter_binomial},
      {32, 32768, scatter_linear},       {32, any_bytes, scatter_linear_nb},
      {64, 512, scatter_binomial},       {64, 8192, scatter_linear_nb},
      {64, 16384, scatter_binomial},     {64, any_bytes, scatter_linear_nb},
      {any_size, 512, scatter_binomial}, {any_size, any_bytes, scatter_linear_nb},
  };
  return rows;
}

std::span<const Choice> choices_of_allgather() {
  static constexpr Choice rows[] = {
      {3, any_bytes, exchange_two_proc},
      {32, any_bytes, allgather_recursive_doubling},
      {64, 1024, allgather_recursive_doubling},
      {64, 65536, allgather_neighbor},
      {64, any_bytes, allgather_ring},
      {128, 512, allgather_recursive_doubling},
      {128, 65536, allgather_neighbor},
      {128, any_bytes, allgather_ring},
      {256, 512, allgather_recursive_doubling},
      {256, 131072, allgather_neighbor},
      {256, 524288, allgather_ring},
      {256, 1048576, allgather_neighbor},
      {256, any_bytes, allgather_ring},
      {512, 32, allgather_recursive_doubling},
      {512, 128, allgather_bruck},
      {512, 1024, allgather_recursive_doubling},
      {512, 131072, allgather_neighbor},
      {512, 524288, allgather_ring},
      {512, 1048576, allgather_neighbor},
      {512, any_bytes, allgather_ring},
      {1024, 64, allgather_recursive_doubling},
      {1024, 256, allgather_bruck},
      {1024, 2048, allgather_recursive_doubling},
      {1024, any_bytes, allgather_neighbor},
      {2048, 4, allgather_recursive_doubling},
      {2048, 8, allgather_bruck},
      {2048, 16, allgather_recursive_doubling},
      {2048, 32, allgather_bruck},
      {2048, 256, allgather_recursive_doubling},
      {2048, 512, allgather_bruck},
      {2048, 4096, allgather_recursive_doubling},
      {2048, any_bytes, allgather_neighbor},
      {4096, 32, allgather_bruck},
      {4096, 128, allgather_recursive_doubling},
      {4096, 512, allgather_bruck},
      {4096, 4096, allgather_recursive_doubling},
      {4096, any_bytes, allgather_neighbor},
      {any_size, 2, allgather_recursive_doubling},
      {any_size, 8, allgather_bruck},
      {any_size, 16, allgather_recursive_doubling},
      {any_size, 512, allgather_bruck},
      {any_size, 4096, allgather_recursive_doubling},
      {any_size, any_bytes, allgather_neighbor},
  };
  return rows;
}

std::span<const Choice> choices_of_allgatherv() {
  static constexpr Choice rows[] = {
      {3, 2048, allgather_ring},
      {3, 4096, exchange_two_proc},
      {3, 8192, allgather_ring},
      {3, any_bytes, exchange_two_proc},
      {8, 256, allgatherv_default},
      {8, 4096, allgather_neighbor},
      {8, 8192, allgather_ring},
      {8, 16384, allgather_neighbor},
      {8, 262144, allgather_bruck},
      {8, any_bytes, allgather_neighbor},
      {16, 1024, allgatherv_default},
      {16, any_bytes, allgather_bruck},
      {32, 128, allgatherv_default},
      {32, 262144, allgather_bruck},
      {32, any_bytes, allgather_ring},
      {64, 256, allgatherv_default},
      {64, 8192, allgather_bruck},
      {64, any_bytes, allgather_ring},
      {128, 256, allgatherv_default},
      {128, 4096, allgather_bruck},
      {128, any_bytes, allgather_ring},
      {256, 1024, allgather_bruck},
      {256, 65536, allgather_neighbor},
      {256, any_bytes, allgather_ring},
      {512, 1024, allgather_bruck},
      {512, any_bytes, allgather_ring},
      {1024, 512, allgather_bruck},
      {1024, 1024, allgatherv_default},
      {1024, 4096, allgather_bruck},
      {1024, 1048576, allgather_neighbor},
      {1024, any_bytes, allgather_ring},
      {any_size, 4096, allgather_bruck},
      {any_size, any_bytes, allgather_neighbor},
  };
  return rows;
}

std::span<const Choice> choices_of_alltoall() {
  static constexpr Choice rows[] = {
      {3, 2, alltoall_pairwise},
      {3, 4, exchange_two_proc},
      {3, 16, alltoall_pairwise},
      {3, 64, exchange_two_proc},
      {3, 256, alltoall_pairwise},
      {3, 4096, exchange_two_proc},
      {3, 32768, alltoall_pairwise},
      {3, 262144, alltoall_linear},
      {3, 1048576, exchange_two_proc},
      {3, any_bytes, alltoall_pairwise},
      {8, 524288, alltoall_linear},
      {8, 1048576, alltoall_pairwise},
      {8, any_bytes, alltoall_linear},
      {16, any_bytes, alltoall_linear},
      {32, 4, alltoall_linear},
      {32, 512, alltoall_bruck},
      {32, any_bytes, alltoall_linear},
      {64, 512, alltoall_bruck},
      {64, any_bytes, alltoall_linear},
      {128, 1024, alltoall_bruck},
      {128, 262144, alltoall_linear},
      {128, any_bytes, alltoall_pairwise},
      {256, 1024, alltoall_bruck},
      {256, 262144, alltoall_linear},
      {256, any_bytes, alltoall_pairwise},
      {512, 1024, alltoall_bruck},
      {512, 32768, alltoall_linear},
      {512, any_bytes, alltoall_pairwise},
      {1024, 512, alltoall_bruck},
      {1024, 262144, alltoall_linear},
      {1024, any_bytes, alltoall_pairwise},
      {2048, 512, alltoall_bruck},
      {2048, any_bytes, alltoall_linear},
      {4096, 1024, alltoall_bruck},
      {4096, any_bytes, alltoall_linear},
      {any_size, 2048, alltoall_bruck},
      {any_size, any_bytes, alltoall_linear},
  };
  return rows;
}

std::span<const Choice> choices_of_alltoallv() {
  static constexpr Choice rows[] = {
      {4, any_bytes, alltoallv_pairwise},    {64, any_bytes, alltoallv_linear},
      {128, any_bytes, alltoallv_pairwise},  {256, any_bytes, alltoallv_linear},
      {1024, any_bytes, alltoallv_pairwise}, {any_size, any_bytes, alltoallv_linear},
  };
  return rows;
}

std::span<const Choice> choices_of_reduce_scatter() {
  static constexpr Choice rows[] = {
      {4, 65536, reduce_scatter_ring},
      {4, 131072, reduce_scatter_recursive_halving},
      {4, any_bytes, reduce_scatter_ring},
      {8, 8, reduce_scatter_nonoverlapping},
      {8, 262144, reduce_scatter_recursive_halving},
      {8, any_bytes, reduce_scatter_ring},
      {32, 262144, reduce_scatter_recursive_halving},
      {32, any_bytes, reduce_scatter_ring},
      {64, 64, reduce_scatter_nonoverlapping},
      {64, 524288, reduce_scatter_recursive_halving},
      {64, any_bytes, reduce_scatter_ring},
      {128, 256, reduce_scatter_nonoverlapping},
      {128, any_bytes, reduce_scatter_recursive_halving},
      {256, 256, reduce_scatter_nonoverlapping},
      {256, any_bytes, reduce_scatter_recursive_halving},
      {512, 256, reduce_scatter_nonoverlapping},
      {512, any_bytes, reduce_scatter_recursive_halving},
      {1024, 512, reduce_scatter_nonoverlapping},
      {1024, any_bytes, reduce_scatter_recursive_halving},
      {2048, 512, reduce_scatter_nonoverlapping},
      {2048, any_bytes, reduce_scatter_recursive_halving},
      {4096, 512, reduce_scatter_nonoverlapping},
      {4096, any_bytes, reduce_scatter_recursive_halving},
      {any_size, 1024, reduce_scatter_nonoverlapping},
      {any_size, any_bytes, reduce_scatter_recursive_halving},
  };
  return rows;
}

std::span<const Choice> choices_of_reduce_scatter_block() {
  static constexpr Choice rows[] = {
      {4, 131072, reduce_scatter_recursive_halving},
      {4, any_bytes, reduce_scatter_nonoverlapping},
      {8, 1048576, reduce_scatter_recursive_halving},
      {8, any_bytes, reduce_scatter_nonoverlapping},
      {16, 4, reduce_scatter_nonoverlapping},
      {16, 524288, reduce_scatter_recursive_halving},
      {16, 4194304, reduce_scatter_nonoverlapping},
      {16, any_bytes, reduce_scatter_recursive_halving},
      {32, 32, reduce_scatter_nonoverlapping},
      {32, 524288, reduce_scatter_recursive_halving},
      {32, 2097152, reduce_scatter_nonoverlapping},
      {32, any_bytes, reduce_scatter_recursive_halving},
      {any_size, 4, reduce_scatter_recursive_halving},
      {any_size, 16, reduce_scatter_nonoverlapping},
      {any_size, 65536, reduce_scatter_recursive_halving},
      {any_size, 262144, reduce_scatter_nonoverlapping},
      {any_size, any_bytes, reduce_scatter_recursive_halving},
  };
  return rows;
}

double bytes_of(const Kind& kind, const Call& call) {
  switch (kind.bytes_of) {
    case BytesOf::nothing:
      return 0;
    case BytesOf::pair:
      return call.size > 1 ? most_through_one_member(call) / (call.size - 1) : 0;
    case BytesOf::message:
    case BytesOf::equal_block:
    case BytesOf::own_block:
      break;
  }
  return call.total() / call.size;
}

std::span<const Kind> collective_table() {
  static const std::vector<Kind> kinds = all_kinds();
  return kinds;
}

void write(const Kind& kind, const Call& call, int member, MessageWriter& out) {
  if (call.size > 1) chosen(kind, call)(call, member, out);
}

void write(const std::string& name, const Call& call, int member, MessageWriter& out) {
  write(*std::ranges::find(collective_table(), name, &Kind::name), call, member, out);
}

}  // namespace loadshare::timing_graph::collectives
