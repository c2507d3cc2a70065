#include "models/communication/waiting_size.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace loadshare::communication {
namespace {

std::vector<SizeWait> sizes_of(std::span<const MessageSample> samples) {
  std::map<double, int> votes;
  for (const MessageSample& sample : samples)
    if (sample.mode == SendMode::standard && sample.posted == ReceivePosted::after)
      votes[sample.bytes] += sample.has_waited ? 1 : -1;
  std::vector<SizeWait> sizes;
  for (const auto& [bytes, vote] : votes) sizes.push_back({bytes, vote > 0});
  return sizes;
}

}  // namespace

double WaitingBorder::bytes() const {
  if (!above_bytes) return std::numeric_limits<double>::infinity();
  return below_bytes ? (*below_bytes + *above_bytes) / 2 : 0;
}

WaitingBorder waiting_border(std::span<const SizeWait> sizes) {
  auto contradicting = std::ranges::count(sizes, false, &SizeWait::is_waiting);  // with the border before all
  auto fewest = contradicting;
  std::size_t border = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    contradicting += sizes[i].is_waiting ? 1 : -1;
    if (contradicting >= fewest) continue;
    fewest = contradicting;
    border = i + 1;
  }
  WaitingBorder result;
  if (border > 0) result.below_bytes = sizes[border - 1].bytes;
  if (border < sizes.size()) result.above_bytes = sizes[border].bytes;
  return result;
}

double waiting_size(std::span<const MessageSample> samples) {
  return waiting_border(sizes_of(samples)).bytes();
}

}  // namespace loadshare::communication
