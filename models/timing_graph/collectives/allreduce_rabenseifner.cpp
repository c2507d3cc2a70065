#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/folding.hpp"

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

}  // namespace loadshare::timing_graph::collectives
