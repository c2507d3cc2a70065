#include <algorithm>

#include "models/program/collectives/algorithms.hpp"
#include "models/program/collectives/table.hpp"
#include "models/program/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

/// Two members reduce a half each; then one has both.
void fold(const Folding& folding, double bytes, MessageWriter& out) {
  out.exchange(folding.mate(), bytes / 2, folding.mate());
  out.reduce(bytes / 2);
  if (folding.is_giving())
    out.send(folding.mate(), bytes / 2);
  else
    out.receive(folding.mate());
}

}  // namespace

/// A reduce to member 0, then a bcast.
void allreduce_nonoverlapping(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  write("reduce", rooted, member, out);
  write("bcast", rooted, member, out);
}

/// Rabenseifner: a reduce_scatter by halves, then an allgather by doubling.
void allreduce_rabenseifner(const Call& call, int member, MessageWriter& out) {
  const double bytes = call.of(0);
  const Folding folding(call.size, member, Taker::even);
  if (folding.is_giving() || folding.is_taking()) fold(folding, bytes, out);
  double part = bytes;
  for (int mask = 1; folding.takes_part() && mask < folding.paired(); mask <<= 1) {
    part /= 2;
    out.exchange(folding.partner(mask), part, folding.partner(mask));
    out.reduce(part);
  }
  for (int mask = folding.paired() >> 1; folding.takes_part() && mask > 0; mask >>= 1, part *= 2)
    out.exchange(folding.partner(mask), part, folding.partner(mask));
  if (folding.is_giving()) out.receive(folding.mate());
  if (folding.is_taking()) out.send(folding.mate(), bytes);
}

/// Exchanges of the whole in pairs at distance 1, 2, 4 ...
void allreduce_recursive_doubling(const Call& call, int member, MessageWriter& out) {
  const double bytes = call.of(0);
  const Folding folding(call.size, member, Taker::odd);
  if (folding.is_giving()) out.send(folding.mate(), bytes);
  if (folding.is_taking()) {
    out.receive(folding.mate());
    out.reduce(bytes);
  }
  for (int mask = 1; folding.takes_part() && mask < folding.paired(); mask <<= 1) {
    const int other = folding.partner(mask);
    out.exchange(other, bytes, other);
    out.reduce(bytes);
  }
  if (folding.is_giving()) out.receive(folding.mate());
  if (folding.is_taking()) out.send(folding.mate(), bytes);
}

/// Parts go around the ring twice: once to be reduced, once to be known. Fewer elements (taken as 8 bytes
/// long) than members: by recursive doubling.
void allreduce_ring(const Call& call, int member, MessageWriter& out) {
  constexpr double element_bytes = 8;
  if (call.of(0) < element_bytes * call.size) return allreduce_recursive_doubling(call, member, out);
  Call parts = call;
  std::fill(parts.bytes.begin(), parts.bytes.end(), call.of(0) / call.size);
  reduce_scatter_ring(parts, member, out);
  allgather_ring(parts, member, out);
}

}  // namespace loadshare::timing_graph::collectives
