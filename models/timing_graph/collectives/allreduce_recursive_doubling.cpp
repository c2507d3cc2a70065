#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/folding.hpp"

namespace loadshare::timing_graph::collectives {

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

}  // namespace loadshare::timing_graph::collectives
