#include "apps/loadshare/calibrate/series.hpp"

#include <algorithm>
#include <limits>

#include "experiments/sweep/stop_rule.hpp"

namespace loadshare::tool {
namespace {

using calibration::MessageTiming;

std::vector<double> times_of(std::span<const MessageTiming> messages, double MessageTiming::*side) {
  std::vector<double> times_s;
  for (const MessageTiming& message : messages) times_s.push_back(message.*side);
  return times_s;
}

Quartiles quartiles_of(std::vector<double> times_s) {
  std::ranges::sort(times_s);
  const std::size_t quarter = (times_s.size() - 1) / 4;
  return {times_s[quarter], times_s[times_s.size() - 1 - quarter]};
}

bool is_narrow(std::span<const double> medians_s, double within) {
  return sweep::is_enough({sweep::least_samples_of_interval, std::numeric_limits<Index>::max(), within},
                          medians_s);
}

}  // namespace

void Series::add(std::span<const MessageTiming> visit) {
  messages_.insert(messages_.end(), visit.begin(), visit.end());
  sender_medians_s_.push_back(sweep::median(times_of(visit, &MessageTiming::sender_s)));
  receiver_medians_s_.push_back(sweep::median(times_of(visit, &MessageTiming::receiver_s)));
}

bool Series::is_enough(const SurveyOptions& options) const {
  const auto count = static_cast<Index>(messages_.size());
  if (count < options.repetitions) return false;
  if (count >= std::max(options.repetitions, options.most_repetitions)) return true;
  return is_narrow(sender_medians_s_, options.within) && is_narrow(receiver_medians_s_, options.within);
}

SizePoint Series::point(Index bytes) const {
  const auto waited = std::ranges::count(messages_, true, &MessageTiming::has_waited);
  return {bytes, quartiles_of(times_of(messages_, &MessageTiming::sender_s)),
          quartiles_of(times_of(messages_, &MessageTiming::receiver_s)), 2 * waited > std::ssize(messages_)};
}

}  // namespace loadshare::tool
