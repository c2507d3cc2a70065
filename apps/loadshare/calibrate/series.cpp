#include "apps/loadshare/calibrate/series.hpp"

#include <algorithm>
#include <limits>

#include "experiments/sweep/stop_rule.hpp"

namespace loadshare::tool {
namespace {

using calibration::MessageTiming;

double median_of(std::span<const MessageTiming> messages, double MessageTiming::*side) {
  std::vector<double> times_s;
  for (const MessageTiming& message : messages) times_s.push_back(message.*side);
  return sweep::median(times_s);
}

bool is_narrow(std::span<const double> medians_s, double within) {
  return sweep::is_enough({sweep::least_samples_of_interval, std::numeric_limits<Index>::max(), within},
                          medians_s);
}

}  // namespace

void Series::add(std::span<const MessageTiming> visit) {
  messages_.insert(messages_.end(), visit.begin(), visit.end());
  sender_medians_s_.push_back(median_of(visit, &MessageTiming::sender_s));
  receiver_medians_s_.push_back(median_of(visit, &MessageTiming::receiver_s));
}

bool Series::is_enough(const SurveyOptions& options) const {
  const auto count = static_cast<Index>(messages_.size());
  if (count < options.repetitions) return false;
  if (count >= std::max(options.repetitions, options.most_repetitions)) return true;
  return is_narrow(sender_medians_s_, options.within) && is_narrow(receiver_medians_s_, options.within);
}

SizePoint Series::point(Index bytes) const {
  const auto waited = std::ranges::count(messages_, true, &MessageTiming::has_waited);
  return {bytes, sweep::median(sender_medians_s_), sweep::median(receiver_medians_s_),
          2 * waited > std::ssize(messages_)};
}

}  // namespace loadshare::tool
