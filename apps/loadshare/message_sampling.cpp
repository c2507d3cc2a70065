#include "apps/loadshare/message_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "experiments/sweep/plan.hpp"

namespace loadshare::tool {
namespace {

using calibration::MessageTiming;
using communication::ReceivePosted;
using communication::SendMode;

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
  return sweep::is_known_within(medians_s, within, sweep::most_error);
}

constexpr double settling_s = 5e-6;         // beyond what messages take, for those that take next to nothing
constexpr double visit_s = 2e-3;            // short beside a turn of another process on the same processor
constexpr double most_rounds_a_visit = 10;  // many visits tell more than long ones
constexpr Index first_contact = 100;
constexpr double share_for_longest = 0.3;  // of the budget, for one of the longest messages of each kind
constexpr double slow_copying_s = 1e-9;    // a byte; memory is faster everywhere

double receiver_median_s(const std::vector<MessageTiming>& messages) {
  std::vector<double> times_s;
  for (const MessageTiming& message : messages) times_s.push_back(message.receiver_s);
  return median_of(times_s);
}

bool most_waited(const std::vector<MessageTiming>& messages) {
  return 2 * std::ranges::count(messages, true, &MessageTiming::has_waited) > std::ssize(messages);
}

constexpr double share_for_spread = 0.5;   // of the budget, for the least repetitions of the first sizes
constexpr double share_for_sharpen = 0.4;  // until then sizes are added
constexpr double at_any_cost = std::numeric_limits<double>::infinity();
constexpr double least_long_s = 1e-3;
constexpr Index least_visits = 2;
constexpr int most_an_octave = 3;
constexpr std::size_t most_sizes_a_kind = 90;

template <class Sizes>
std::vector<SizePoint> points_of(const Sizes& sizes) {
  std::vector<SizePoint> points;
  for (const auto& [bytes, series] : sizes)
    if (!series.messages().empty()) points.push_back(series.point(bytes));
  return points;
}

}  // namespace

std::vector<MessageKind> kinds_of(const SamplingOptions& options) {
  std::vector<MessageKind> kinds;
  for (const SendMode mode : options.modes)
    for (const ReceivePosted posted : {ReceivePosted::before, ReceivePosted::after})
      if (mode != SendMode::ready || posted == ReceivePosted::before) kinds.push_back({mode, posted});
  return kinds;
}

void Series::add(std::span<const MessageTiming> visit) {
  messages_.insert(messages_.end(), visit.begin(), visit.end());
  sender_medians_s_.push_back(median_of(times_of(visit, &MessageTiming::sender_s)));
  receiver_medians_s_.push_back(median_of(times_of(visit, &MessageTiming::receiver_s)));
}

bool Series::is_enough(const SamplingOptions& options) const {
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

Scouting::Scouting(const SamplingOptions& options, PairExchange& exchange) {
  SplitMix64 random(static_cast<std::uint64_t>(options.seed));
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
  // A send that waits needs only its announcement to arrive; a buffered one must also have been copied.
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

MessageSampling::MessageSampling(SamplingOptions options, PairExchange& exchange, OnProgress on_progress)
    : options_(std::move(options)),
      exchange_(exchange),
      on_progress_(std::move(on_progress)),
      random_(static_cast<std::uint64_t>(options_.seed)),
      begun_s_(exchange.now_s()),
      scouting_(options_, exchange) {
  for (const MessageKind& kind : kinds_of(options_)) kinds_[kind];
}

std::vector<calibration::MessageSeries> MessageSampling::run() {
  require_time();
  spread();
  if (options_.sizes.empty()) {
    find_threshold();
    sharpen();
  }
  repeat();
  std::vector<calibration::MessageSeries> all;
  for (const auto& [kind, sizes] : kinds_)
    for (const auto& [bytes, series] : sizes)
      if (!series.messages().empty())
        all.push_back(
            {.mode = kind.mode, .posted = kind.posted, .bytes = bytes, .messages = series.messages()});
  return all;
}

bool MessageSampling::has_time(double share, double for_s) const {
  return exchange_.now_s() - begun_s_ + for_s < share * options_.budget_s;
}

double MessageSampling::seconds_for(const Visit& visit) const {
  return static_cast<double>(visit.warm_ups + visit.repetitions) * scouting_.seconds_a_message(visit);
}

double MessageSampling::seconds_for(const std::vector<Index>& sizes) const {
  double sum_s = 0;
  for (const auto& [kind, none] : kinds_)
    for (const Index bytes : sizes)
      sum_s += static_cast<double>(options_.repetitions) *
               scouting_.seconds_a_message(scouting_.visit(kind.mode, kind.posted, bytes));
  return sum_s;
}

bool MessageSampling::can_repeat(const std::vector<Index>& sizes) const {
  return seconds_for(sizes) <= share_for_spread * options_.budget_s;
}

void MessageSampling::require_time() const {
  if (options_.least_size() <= scouting_.most_bytes()) return;
  throw UsageError(fmt::format("there is no time for messages of {} bytes", options_.least_size()),
                   fmt::format("--seconds is {:g}, and one of {} bytes takes {:.2g} s", options_.budget_s,
                               scouting_.most_bytes(), scouting_.message_s(scouting_.most_bytes())),
                   "give more --seconds or smaller sizes");
}

std::vector<Index> MessageSampling::spread_sizes(int per_octave) const {
  SplitMix64 random(static_cast<std::uint64_t>(options_.seed));
  return tool::spread_sizes(options_.min_bytes, most_bytes(), per_octave, random);
}

std::vector<Index> MessageSampling::first_sizes() {
  if (!options_.sizes.empty()) {
    std::vector<Index> sizes = options_.sizes;
    std::erase_if(sizes, [this](Index bytes) { return bytes > most_bytes(); });
    return sizes;
  }
  for (int per_octave = most_an_octave; per_octave > 0; --per_octave)
    if (std::vector<Index> sizes = spread_sizes(per_octave); can_repeat(sizes)) return sizes;
  return thinned_sizes();
}

std::vector<Index> MessageSampling::thinned_sizes() {
  std::vector<Index> sizes = spread_sizes(1);
  const Index largest = sizes.back();
  for (long_s_ = 50e-3; long_s_ > least_long_s; long_s_ /= 2) {
    std::erase_if(sizes, [this](Index bytes) { return scouting_.message_s(bytes) > long_s_; });
    if (can_repeat(sizes)) break;
  }
  if (sizes.empty() || sizes.back() < largest) sizes.push_back(largest);
  return sizes;
}

/// Visits each of the first sizes once; they were chosen so that there is time for it.
void MessageSampling::spread() {
  for (const Index bytes : first_sizes())
    for (auto& [kind, sizes] : kinds_) sizes[bytes];
  visit_new(at_any_cost);
}

void MessageSampling::find_threshold() {
  const auto standard = kinds_.find({SendMode::standard, ReceivePosted::after});
  if (standard == kinds_.end()) return;
  Sizes& sizes = standard->second;
  while (const auto between = size_in_threshold(points_of(sizes))) {
    sizes[*between];
    if (!visit_new(1)) break;
  }
  for (const Index bytes : sizes_at_threshold(points_of(sizes)))
    for (auto& [kind, others] : kinds_) others[bytes];
  visit_new(1);
}

void MessageSampling::sharpen() {
  visit_unfinished(share_for_sharpen);
  while (has_time(share_for_sharpen) && add_sizes_at_jumps()) visit_new(share_for_sharpen);
}

bool MessageSampling::add_sizes_at_jumps() {
  std::map<MessageKind, std::vector<Jump>> all;
  double widest = 0;
  for (const auto& [kind, sizes] : kinds_) {
    if (sizes.size() >= most_sizes_a_kind) continue;
    all[kind] = jumps_among(points_of(sizes));
    for (const Jump& jump : all[kind]) widest = std::max(widest, jump.octaves);
  }
  bool has_added = false;
  for (const auto& [kind, jumps] : all)
    for (const Jump& jump : jumps)
      if (jump.octaves >= widest / 2) has_added |= kinds_[kind].try_emplace(jump.middle).second;
  return has_added;
}

void MessageSampling::repeat() {
  do tell_progress();
  while (visit_unfinished(1));
}

std::vector<MessageSampling::Place> MessageSampling::places() {
  std::vector<Place> all;
  for (auto& [kind, sizes] : kinds_)
    for (auto& [bytes, series] : sizes) all.push_back({kind, bytes, &series});
  return all;
}

Visit MessageSampling::visit_of(const Place& place) const {
  return scouting_.visit(place.kind.mode, place.kind.posted, place.bytes);
}

bool MessageSampling::is_due(const Place& place, std::size_t among) const {
  const Visit visit = visit_of(place);
  const auto messages = static_cast<Index>(place.series->messages().size());
  const bool is_long = scouting_.message_s(place.bytes) > long_s_;
  const double spent_s = static_cast<double>(messages) * scouting_.seconds_a_message(visit);
  return messages < (is_long ? least_visits * visit.repetitions : options_.repetitions) ||
         spent_s < (exchange_.now_s() - begun_s_) / static_cast<double>(among);
}

bool MessageSampling::visit_new(double share) {
  std::vector<Place> fresh = places();
  std::erase_if(fresh, [](const Place& place) { return !place.series->messages().empty(); });
  return visit_all(std::move(fresh), share);
}

bool MessageSampling::visit_unfinished(double share) {
  std::vector<Place> unfinished = places();
  const std::size_t all = unfinished.size();
  std::erase_if(unfinished, [&](const Place& place) {
    return place.series->is_enough(options_) || !has_time(share, seconds_for(visit_of(place)));
  });
  std::vector<Place> due;
  std::ranges::copy_if(unfinished, std::back_inserter(due),
                       [&](const Place& place) { return is_due(place, all); });
  return visit_all(std::move(due.empty() ? unfinished : due), share);
}

bool MessageSampling::visit_all(std::vector<Place> places, double share) {
  bool has_visited = false;
  shuffle(places, random_);
  for (const Place& place : places) {
    const Visit visit = visit_of(place);
    if (!has_time(share, seconds_for(visit))) continue;
    place.series->add(exchange_.visit(visit));
    has_visited = true;
  }
  return has_visited;
}

void MessageSampling::tell_progress() const {
  Index enough = 0, all = 0;
  for (const auto& [kind, sizes] : kinds_)
    for (const auto& [bytes, series] : sizes) {
      ++all;
      enough += series.is_enough(options_) ? 1 : 0;
    }
  on_progress_(enough, all);
}

}  // namespace loadshare::tool
