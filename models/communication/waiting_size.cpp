#include "models/communication/waiting_size.hpp"

#include <limits>
#include <map>

namespace loadshare::communication {
namespace {

/// By size, how many more samples have waited than have not.
std::map<double, int> votes_of(std::span<const MessageSample> samples) {
  std::map<double, int> votes;
  for (const MessageSample& sample : samples)
    if (sample.mode == SendMode::standard && sample.posted == ReceivePosted::after)
      votes[sample.bytes] += sample.has_waited ? 1 : -1;
  return votes;
}

}  // namespace

double waiting_size(std::span<const MessageSample> samples) {
  const std::map<double, int> votes = votes_of(samples);
  int contradicting = 0;  // with the border at 0, where every size is to wait
  for (const auto& [bytes, vote] : votes) contradicting += vote > 0 ? 0 : 1;
  int fewest = contradicting;
  double border = votes.empty() ? std::numeric_limits<double>::infinity() : 0;
  for (auto at = votes.begin(); at != votes.end(); ++at) {
    contradicting += at->second > 0 ? 1 : -1;
    if (contradicting >= fewest) continue;
    fewest = contradicting;
    const auto next = std::next(at);
    border = next == votes.end() ? std::numeric_limits<double>::infinity() : (at->first + next->first) / 2;
  }
  return border;
}

}  // namespace loadshare::communication
