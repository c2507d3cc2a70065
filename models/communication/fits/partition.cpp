#include "models/communication/fits/partition.hpp"

#include <algorithm>
#include <limits>

namespace loadshare::communication {

std::vector<std::size_t> best_partition(std::size_t count, std::size_t least, double penalty,
                                        const PartCost& cost) {
  if (count < 2 * least) return {0};
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> best(count + 1, never);         // of the first so many places
  std::vector<std::size_t> last_begin(count + 1, 0);  // of the last part in that
  best[0] = 0;
  for (std::size_t end = least; end <= count; ++end)
    for (std::size_t begin = 0; begin + least <= end; ++begin) {
      if (best[begin] == never) continue;
      const double total = best[begin] + penalty + cost(begin, end);
      if (total >= best[end]) continue;
      best[end] = total;
      last_begin[end] = begin;
    }
  std::vector<std::size_t> begins;
  for (std::size_t end = count; end > 0; end = last_begin[end]) begins.push_back(last_begin[end]);
  std::ranges::reverse(begins);
  return begins;
}

}  // namespace loadshare::communication
