#include "models/timing_graph/collectives/algorithms.hpp"
#include "models/timing_graph/collectives/folding.hpp"

namespace loadshare::timing_graph::collectives {

namespace {

double bytes_of(const Call& call, const Folding& folding, int first_place, int count) {
  double sum = 0;
  for (int place = first_place; place < first_place + count; ++place) {
    const int member = folding.member_at(place);
    sum += call.of(member) + (folding.is_taking(member) ? call.of(member - 1) : 0);
  }
  return sum;
}

}  // namespace

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

}  // namespace loadshare::timing_graph::collectives
