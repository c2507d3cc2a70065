#include "models/program/collectives/table.hpp"

#include <algorithm>
#include <vector>

namespace loadshare::timing_graph::collectives {
namespace {

// clang-format off
std::vector<Choice> barrier_choices() {
  return {
    {4, {{any_bytes, barrier_recursive_doubling}}},
    {8, {{any_bytes, barrier_linear}}},
    {64, {{any_bytes, barrier_recursive_doubling}}},
    {256, {{any_bytes, barrier_bruck}}},
    {512, {{any_bytes, barrier_tree}}},
    {1024, {{any_bytes, barrier_bruck}}},
    {4096, {{any_bytes, barrier_tree}}},
    {any_size, {{any_bytes, barrier_bruck}}},
  };
}

std::vector<Choice> bcast_choices() {
  return {
    {4, {{32, bcast_chain}, {256, bcast_binary}, {512, bcast_chain}, {1024, bcast_knomial},
      {32768, bcast_linear}, {131072, bcast_binary}, {262144, bcast_chain}, {524288, bcast_linear},
      {1048576, bcast_binomial}, {any_bytes, bcast_binary}}},
    {8, {{64, bcast_binary}, {128, bcast_binomial}, {2048, bcast_binary}, {8192, bcast_binomial},
      {1048576, bcast_linear}, {any_bytes, bcast_chain}}},
    {16, {{8, bcast_knomial}, {64, bcast_binary}, {4096, bcast_knomial}, {16384, bcast_binary},
      {32768, bcast_binomial}, {any_bytes, bcast_linear}}},
    {32, {{4096, bcast_knomial}, {1048576, bcast_binomial}, {any_bytes, bcast_scatter_allgather}}},
    {64, {{2048, bcast_binomial}}},
    {128, {{any_bytes, bcast_knomial}}},
    {256, {{2, bcast_binomial}, {16384, bcast_binary}, {32768, bcast_linear}, {65536, bcast_binary},
      {any_bytes, bcast_knomial}}},
    {1024, {{16384, bcast_knomial}, {32768, bcast_binary}, {any_bytes, bcast_knomial}}},
    {2048, {{524288, bcast_knomial}, {any_bytes, bcast_scatter_allgather}}},
    {4096, {{262144, bcast_knomial}, {any_bytes, bcast_scatter_allgather}}},
    {any_size, {{8192, bcast_knomial}, {16384, bcast_binary}, {262144, bcast_knomial},
      {any_bytes, bcast_scatter_allgather}}},
  };
}

std::vector<Choice> reduce_choices() {
  return {
    {4, {{8, reduce_linear}, {16, reduce_binary}, {32, reduce_chain}, {262144, reduce_linear},
      {any_bytes, reduce_chain}}},
    {8, {{4096, reduce_binary}, {65536, reduce_chain}, {262144, reduce_binomial}, {524288, reduce_linear},
      {1048576, reduce_binomial}, {any_bytes, reduce_linear}}},
    {16, {{8192, reduce_binary}, {any_bytes, reduce_binomial}}},
    {32, {{4096, reduce_binary}}},
    {any_size, {{any_bytes, reduce_binomial}}},
  };
}

std::vector<Choice> allreduce_choices() {
  return {
    {4, {{8, allreduce_ring}, {4096, allreduce_recursive_doubling}, {8192, allreduce_ring},
      {16384, allreduce_recursive_doubling}, {262144, allreduce_ring}, {any_bytes, allreduce_rabenseifner}}},
    {8, {{16, allreduce_ring}, {8192, allreduce_recursive_doubling}, {any_bytes, allreduce_rabenseifner}}},
    {16, {{8192, allreduce_recursive_doubling}, {any_bytes, allreduce_rabenseifner}}},
    {32, {{64, allreduce_ring}, {4096, allreduce_recursive_doubling}, {any_bytes, allreduce_rabenseifner}}},
    {64, {{128, allreduce_ring}, {any_bytes, allreduce_rabenseifner}}},
    {128, {{262144, allreduce_recursive_doubling}, {any_bytes, allreduce_rabenseifner}}},
    {256, {{131072, allreduce_nonoverlapping}, {262144, allreduce_recursive_doubling},
      {any_bytes, allreduce_rabenseifner}}},
    {512, {{4096, allreduce_nonoverlapping}, {any_bytes, allreduce_rabenseifner}}},
    {2048, {{2048, allreduce_nonoverlapping}, {16384, allreduce_recursive_doubling},
      {any_bytes, allreduce_rabenseifner}}},
    {4096, {{2048, allreduce_nonoverlapping}, {4096, allreduce_ring}, {16384, allreduce_recursive_doubling},
      {any_bytes, allreduce_rabenseifner}}},
    {any_size, {{2048, allreduce_nonoverlapping}, {16384, allreduce_ring},
      {32768, allreduce_recursive_doubling}, {any_bytes, allreduce_rabenseifner}}},
  };
}

std::vector<Choice> gather_choices() {
  return {
    {4, {{2, gather_linear_sync}, {4, gather_linear}, {32768, gather_binomial}, {65536, gather_linear},
      {131072, gather_binomial}, {any_bytes, gather_linear_sync}}},
    {8, {{1024, gather_binomial}, {8192, gather_linear}, {32768, gather_binomial}, {262144, gather_linear},
      {any_bytes, gather_linear_sync}}},
    {256, {{any_bytes, gather_binomial}}},
    {512, {{2048, gather_binomial}, {8192, gather_linear}}},
    {any_size, {{any_bytes, gather_binomial}}},
  };
}

std::vector<Choice> scatter_choices() {
  return {
    {4, {{2, scatter_linear_nb}, {131072, scatter_linear}, {262144, scatter_linear_nb},
      {any_bytes, scatter_linear}}},
    {8, {{2048, scatter_binomial}, {4096, scatter_linear}, {8192, scatter_binomial}, {32768, scatter_linear},
      {1048576, scatter_linear_nb}, {any_bytes, scatter_linear}}},
    {16, {{16384, scatter_binomial}, {1048576, scatter_linear_nb}, {any_bytes, scatter_linear}}},
    {32, {{16384, scatter_binomial}, {32768, scatter_linear}, {any_bytes, scatter_linear_nb}}},
    {64, {{512, scatter_binomial}, {8192, scatter_linear_nb}, {16384, scatter_binomial},
      {any_bytes, scatter_linear_nb}}},
    {any_size, {{512, scatter_binomial}, {any_bytes, scatter_linear_nb}}},
  };
}

std::vector<Choice> allgather_choices() {
  return {
    {3, {{any_bytes, exchange_two_proc}}},
    {32, {{any_bytes, allgather_recursive_doubling}}},
    {64, {{1024, allgather_recursive_doubling}, {65536, allgather_neighbor}, {any_bytes, allgather_ring}}},
    {128, {{512, allgather_recursive_doubling}, {65536, allgather_neighbor}, {any_bytes, allgather_ring}}},
    {256, {{512, allgather_recursive_doubling}, {131072, allgather_neighbor}, {524288, allgather_ring},
      {1048576, allgather_neighbor}, {any_bytes, allgather_ring}}},
    {512, {{32, allgather_recursive_doubling}, {128, allgather_bruck}, {1024, allgather_recursive_doubling},
      {131072, allgather_neighbor}, {524288, allgather_ring}, {1048576, allgather_neighbor},
      {any_bytes, allgather_ring}}},
    {1024, {{64, allgather_recursive_doubling}, {256, allgather_bruck}, {2048, allgather_recursive_doubling},
      {any_bytes, allgather_neighbor}}},
    {2048, {{4, allgather_recursive_doubling}, {8, allgather_bruck}, {16, allgather_recursive_doubling},
      {32, allgather_bruck}, {256, allgather_recursive_doubling}, {512, allgather_bruck},
      {4096, allgather_recursive_doubling}, {any_bytes, allgather_neighbor}}},
    {4096, {{32, allgather_bruck}, {128, allgather_recursive_doubling}, {512, allgather_bruck},
      {4096, allgather_recursive_doubling}, {any_bytes, allgather_neighbor}}},
    {any_size, {{2, allgather_recursive_doubling}, {8, allgather_bruck}, {16, allgather_recursive_doubling},
      {512, allgather_bruck}, {4096, allgather_recursive_doubling}, {any_bytes, allgather_neighbor}}},
  };
}

std::vector<Choice> allgatherv_choices() {
  return {
    {3, {{2048, allgather_ring}, {4096, exchange_two_proc}, {8192, allgather_ring},
      {any_bytes, exchange_two_proc}}},
    {8, {{256, allgatherv_default}, {4096, allgather_neighbor}, {8192, allgather_ring},
      {16384, allgather_neighbor}, {262144, allgather_bruck}, {any_bytes, allgather_neighbor}}},
    {16, {{1024, allgatherv_default}, {any_bytes, allgather_bruck}}},
    {32, {{128, allgatherv_default}, {262144, allgather_bruck}, {any_bytes, allgather_ring}}},
    {64, {{256, allgatherv_default}, {8192, allgather_bruck}, {any_bytes, allgather_ring}}},
    {128, {{256, allgatherv_default}, {4096, allgather_bruck}, {any_bytes, allgather_ring}}},
    {256, {{1024, allgather_bruck}, {65536, allgather_neighbor}, {any_bytes, allgather_ring}}},
    {512, {{1024, allgather_bruck}, {any_bytes, allgather_ring}}},
    {1024, {{512, allgather_bruck}, {1024, allgatherv_default}, {4096, allgather_bruck},
      {1048576, allgather_neighbor}, {any_bytes, allgather_ring}}},
    {any_size, {{4096, allgather_bruck}, {any_bytes, allgather_neighbor}}},
  };
}

std::vector<Choice> alltoall_choices() {
  return {
    {3, {{2, alltoall_pairwise}, {4, exchange_two_proc}, {16, alltoall_pairwise}, {64, exchange_two_proc},
      {256, alltoall_pairwise}, {4096, exchange_two_proc}, {32768, alltoall_pairwise},
      {262144, alltoall_linear}, {1048576, exchange_two_proc}, {any_bytes, alltoall_pairwise}}},
    {8, {{524288, alltoall_linear}, {1048576, alltoall_pairwise}, {any_bytes, alltoall_linear}}},
    {16, {{any_bytes, alltoall_linear}}},
    {32, {{4, alltoall_linear}, {512, alltoall_bruck}, {any_bytes, alltoall_linear}}},
    {64, {{512, alltoall_bruck}, {any_bytes, alltoall_linear}}},
    {128, {{1024, alltoall_bruck}, {262144, alltoall_linear}, {any_bytes, alltoall_pairwise}}},
    {256, {{1024, alltoall_bruck}, {262144, alltoall_linear}, {any_bytes, alltoall_pairwise}}},
    {512, {{1024, alltoall_bruck}, {32768, alltoall_linear}, {any_bytes, alltoall_pairwise}}},
    {1024, {{512, alltoall_bruck}, {262144, alltoall_linear}, {any_bytes, alltoall_pairwise}}},
    {2048, {{512, alltoall_bruck}, {any_bytes, alltoall_linear}}},
    {4096, {{1024, alltoall_bruck}, {any_bytes, alltoall_linear}}},
    {any_size, {{2048, alltoall_bruck}, {any_bytes, alltoall_linear}}},
  };
}

std::vector<Choice> alltoallv_choices() {
  return {
    {4, {{any_bytes, alltoallv_pairwise}}},
    {64, {{any_bytes, alltoallv_linear}}},
    {128, {{any_bytes, alltoallv_pairwise}}},
    {256, {{any_bytes, alltoallv_linear}}},
    {1024, {{any_bytes, alltoallv_pairwise}}},
    {any_size, {{any_bytes, alltoallv_linear}}},
  };
}

std::vector<Choice> reduce_scatter_choices() {
  return {
    {4, {{65536, reduce_scatter_ring}, {131072, reduce_scatter_recursive_halving},
      {any_bytes, reduce_scatter_ring}}},
    {8, {{8, reduce_scatter_nonoverlapping}, {262144, reduce_scatter_recursive_halving},
      {any_bytes, reduce_scatter_ring}}},
    {32, {{262144, reduce_scatter_recursive_halving}, {any_bytes, reduce_scatter_ring}}},
    {64, {{64, reduce_scatter_nonoverlapping}, {524288, reduce_scatter_recursive_halving},
      {any_bytes, reduce_scatter_ring}}},
    {128, {{256, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
    {256, {{256, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
    {512, {{256, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
    {1024, {{512, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
    {2048, {{512, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
    {4096, {{512, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
    {any_size, {{1024, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
  };
}

std::vector<Choice> reduce_scatter_block_choices() {
  return {
    {4, {{131072, reduce_scatter_recursive_halving}, {any_bytes, reduce_scatter_nonoverlapping}}},
    {8, {{1048576, reduce_scatter_recursive_halving}, {any_bytes, reduce_scatter_nonoverlapping}}},
    {16, {{4, reduce_scatter_nonoverlapping}, {524288, reduce_scatter_recursive_halving},
      {4194304, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
    {32, {{32, reduce_scatter_nonoverlapping}, {524288, reduce_scatter_recursive_halving},
      {2097152, reduce_scatter_nonoverlapping}, {any_bytes, reduce_scatter_recursive_halving}}},
    {any_size, {{4, reduce_scatter_recursive_halving}, {16, reduce_scatter_nonoverlapping},
      {65536, reduce_scatter_recursive_halving}, {262144, reduce_scatter_nonoverlapping},
      {any_bytes, reduce_scatter_recursive_halving}}},
  };
}
// clang-format on

std::vector<Choice> always(Algorithm algorithm) {
  return {{any_size, {{any_bytes, algorithm}}}};
}

std::vector<Kind> all_kinds() {
  using enum BytesOf;
  using enum DecidedBy;
  const std::string vector = "the vector", own = "the block of this rank",
                    each = "what this rank sends to each";
  return {
      {"barrier", "none", nothing, Root::none, block, barrier_choices()},
      {"bcast", "the whole message", message, Root::one, block, bcast_choices()},
      {"reduce", vector, message, Root::one, block, reduce_choices()},
      {"allreduce", vector, message, Root::none, block, allreduce_choices()},
      {"gather", own, equal_block, Root::one, block, gather_choices()},
      {"gatherv", own, own_block, Root::one, block, always(gatherv_linear)},
      {"scatter", own, equal_block, Root::one, block, scatter_choices()},
      {"scatterv", own, own_block, Root::one, block, always(scatterv_linear)},
      {"allgather", own, equal_block, Root::none, block, allgather_choices()},
      {"allgatherv", own, own_block, Root::none, mean_block, allgatherv_choices()},
      {"alltoall", each, equal_block, Root::none, block, alltoall_choices()},
      {"alltoallv", "what this rank sends to the rank `peer`", pair, Root::none, block, alltoallv_choices()},
      {"reduce_scatter", own, own_block, Root::none, total, reduce_scatter_choices()},
      {"reduce_scatter_block", own, equal_block, Root::none, block, reduce_scatter_block_choices()},
      {"scan", vector, message, Root::none, block, always(scan_linear)},
      {"exscan", vector, message, Root::none, block, always(scan_linear)},
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
  for (const Choice& choice : kind.choices) {
    if (call.size >= choice.below_size) continue;
    for (const auto& [below_bytes, algorithm] : choice.by_bytes)
      if (bytes < below_bytes) return algorithm;
  }
  return nullptr;  // never: the last row of each kind bounds neither
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

bool has_root(const std::string& name) {
  return std::ranges::find(collective_table(), name, &Kind::name)->root == Root::one;
}

void write(const std::string& name, const Call& call, int member, MessageWriter& out) {
  write(*std::ranges::find(collective_table(), name, &Kind::name), call, member, out);
}

}  // namespace loadshare::timing_graph::collectives
