#include "models/timing_graph/collectives/folding.hpp"

#include "models/timing_graph/collectives/trees.hpp"

namespace loadshare::timing_graph::collectives {

Folding::Folding(int size, int member, Taker taker)
    : member_(member), taker_(taker), paired_(largest_power_of_two(size)), extra_(size - paired_) {}

}  // namespace loadshare::timing_graph::collectives
