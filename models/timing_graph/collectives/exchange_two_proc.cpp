#include "models/timing_graph/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

void exchange_two_proc(const Call& call, int member, MessageWriter& out) {
  out.exchange(1 - member, call.of(member), 1 - member);
}

}  // namespace loadshare::timing_graph::collectives
