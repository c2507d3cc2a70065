#include "apps/loadshare/calibrate/scouting.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "apps/loadshare/calibrate/sizes.hpp"
#include "experiments/sweep/stop_rule.hpp"

namespace loadshare::tool {
namespace {

using calibration::MessageTiming;
using communication::ReceivePosted;
using communication::SendMode;

constexpr double settling_s = 5e-6;         // beyond what messages take, for those that take next to nothing
constexpr double visit_s = 2e-3;            // short beside a turn of another process on the same processor
constexpr double most_rounds_a_visit = 10;  // many visits tell more than long ones
constexpr double worth_warming_s = 20e-3;   // who takes longer does not feel what was in the caches
constexpr Index first_contact = 100;
constexpr double share_for_longest = 0.3;  // of the budget, for one of the longest messages of each kind
constexpr double slow_copying_s = 1e-9;    // a byte; memory is faster everywhere

double receiver_median_s(const std::vector<MessageTiming>& messages) {
  std::vector<double> times_s;
  for (const MessageTiming& message : messages) times_s.push_back(message.receiver_s);
  return sweep::median(times_s);
}

bool most_waited(const std::vector<MessageTiming>& messages) {
  return 2 * std::ranges::count(messages, true, &MessageTiming::has_waited) > std::ssize(messages);
}

}  // namespace

Scouting::Scouting(const SurveyOptions& options, PairExchange& exchange) {
  sweep::SplitMix64 random(static_cast<std::uint64_t>(options.seed));
  const auto kinds = static_cast<double>(kinds_of(options).size());
  exchange.visit({.bytes = 0, .repetitions = first_contact});
  for (const Index bytes : spread_sizes(0, options.most_size(), 1, random)) {
    if (kinds * expected_s(bytes) > share_for_longest * options.budget_s) return;
    look_at(bytes, exchange);
  }
}

/// A message takes little longer than its size explains by the last one.
double Scouting::expected_s(Index bytes) const {
  if (seen_.empty()) return 0;
  const auto& [last_bytes, last] = *seen_.rbegin();
  return last.message_s * static_cast<double>(bytes) / static_cast<double>(std::max<Index>(last_bytes, 1));
}

void Scouting::look_at(Index bytes, PairExchange& exchange) {
  const bool is_short = expected_s(bytes) < worth_warming_s;
  const bool last_has_waited = !seen_.empty() && seen_.rbegin()->second.has_waited;
  Visit visit{.bytes = bytes, .warm_ups = is_short ? 2 : 0, .repetitions = is_short ? 5 : 1};
  Seen& seen = seen_[bytes];
  seen.message_s = receiver_median_s(exchange.visit(visit));
  if (!is_short && last_has_waited) {  // as all larger ones do
    seen.has_waited = true;
    return;
  }
  visit.posted = ReceivePosted::after;
  visit.stay_s = 2 * seen.message_s + settling_s;
  seen.has_waited = most_waited(exchange.visit(visit));
}

double Scouting::message_s(Index bytes) const {
  const auto next = seen_.lower_bound(bytes);
  return (next == seen_.end() ? std::prev(next) : next)->second.message_s;
}

bool Scouting::is_held_back(Index bytes) const {
  const auto after = seen_.upper_bound(bytes);
  return after != seen_.begin() && std::prev(after)->second.has_waited;
}

double Scouting::stay_s(SendMode mode, Index bytes) const {
  // Of what waits only the announcement has to arrive, and what is buffered must have been copied.
  const double announced_s = 4 * seen_.begin()->second.message_s;
  const double delivered_s = 2 * message_s(bytes);
  if (mode == SendMode::synchronous || (is_held_back(bytes) && mode != SendMode::buffered))
    return settling_s + announced_s;
  if (is_held_back(bytes))
    return settling_s + announced_s + std::min(delivered_s, static_cast<double>(bytes) * slow_copying_s);
  return settling_s + delivered_s;
}

Visit Scouting::visit(SendMode mode, ReceivePosted posted, Index bytes) const {
  Visit visit{.mode = mode, .posted = posted, .bytes = bytes};
  if (posted == ReceivePosted::after) visit.stay_s = stay_s(mode, bytes);
  const double each_s = seconds_a_message(visit);
  if (each_s >= worth_warming_s) return visit;
  visit.warm_ups = 1;
  visit.repetitions = std::llround(std::clamp(visit_s / each_s, 2.0, most_rounds_a_visit));
  return visit;
}

double Scouting::seconds_a_message(const Visit& visit) const {
  const double to_and_fro_s = 3 * seen_.begin()->second.message_s;  // who is ready, and who has it
  return to_and_fro_s + visit.stay_s + message_s(visit.bytes);
}

}  // namespace loadshare::tool
