#include "models/program/collectives/algorithms.hpp"
#include "models/program/collectives/table.hpp"
#include "models/program/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

void scatterv_after_reduce(const Call& call, int member, MessageWriter& out) {
  Call whole = call;
  whole.bytes.assign(call.bytes.size(), call.total());
  write("reduce", whole, member, out);
  scatterv_linear(call, member, out);
}

double bytes_of(const Call& call, const Folding& folding, int first_place, int count) {
  double sum = 0;
  for (int place = first_place; place < first_place + count; ++place) {
    const int member = folding.member_at(place);
    sum += call.of(member) + (folding.is_taking(member) ? call.of(member - 1) : 0);
  }
  return sum;
}

}  // namespace

/// A reduce to member 0, then a scatterv.
void reduce_scatter_nonoverlapping(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  scatterv_after_reduce(rooted, member, out);
}

/// Pairs exchange the half the other is to have, from the largest distance down.
void reduce_scatter_recursive_halving(const Call& call, int member, MessageWriter& out) {
  const Folding folding(call.size, member, Taker::odd);
  if (folding.is_giving()) {
    out.send(folding.mate(), call.total());
    return out.receive(folding.mate());
  }
  if (folding.is_taking()) {
    out.receive(folding.mate());
    out.reduce(call.total());
  }
  int first = 0;
  for (int half = folding.paired() >> 1; half > 0; half >>= 1) {
    const bool is_low = folding.place() < first + half;
    const int other = folding.partner(half);
    out.exchange(other, bytes_of(call, folding, is_low ? first + half : first, half), other);
    if (!is_low) first += half;
    out.reduce(bytes_of(call, folding, first, half));
  }
  if (folding.is_taking()) out.send(folding.mate(), call.of(member - 1));
}

/// Blocks go around the ring, each to end at its owner.
void reduce_scatter_ring(const Call& call, int member, MessageWriter& out) {
  const int to = call.after(member, 1), from = call.after(member, -1);
  std::uint32_t coming = out.begin_receive(from);
  out.send(to, call.of(from));
  for (int step = 2; step < call.size; ++step) {
    const std::uint32_t next = out.begin_receive(from);
    const int block = call.after(member, -step);
    out.wait(coming);
    out.reduce(call.of(block));
    out.send(to, call.of(block));
    coming = next;
  }
  out.wait(coming);
  out.reduce(call.of(member));
}

}  // namespace loadshare::timing_graph::collectives
