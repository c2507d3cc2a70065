#include "models/timing_graph/collectives/table.hpp"

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
