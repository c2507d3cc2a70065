#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace loadshare::communication {

/// What it costs to have places [begin, end) as one part.
using PartCost = std::function<double(std::size_t begin, std::size_t end)>;

/// Cuts `count` places into parts, none shorter than `least` (one part where there are fewer than twice as
/// many), such that the sum of their costs and of `penalty` for each is least: where each part begins, in
/// order. Exact, by dynamic programming over the last part (Jackson et al., An algorithm for optimal
/// partitioning of data on an interval, 2005); asks for about count^2 / 2 costs.
std::vector<std::size_t> best_partition(std::size_t count, std::size_t least, double penalty,
                                        const PartCost& cost);

}  // namespace loadshare::communication
