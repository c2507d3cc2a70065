#include "apps/loadshare/collective_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "apps/loadshare/message_sampling.hpp"
#include "base/statistics.hpp"
#include "experiments/sweep/plan.hpp"
#include "models/program/collectives/table.hpp"

namespace loadshare::tool {
namespace {

constexpr double share_for_scouting = 0.4;
constexpr double share_for_adding = 0.6;  // later ones would not be made often enough
constexpr double seconds_a_visit = 20e-3;
constexpr Index least_a_visit = 2;
constexpr Index most_calls_a_visit = 10;

/// The bytes of whole numbers of four, which a reduction adds.
Index whole_numbers(double bytes) {
  constexpr double number = 4;
  return static_cast<Index>(number * std::ceil(bytes / number));
}

std::set<Index> sizes_of(const std::string& call, const CollectiveOptions& options) {
  constexpr Index number = 4;
  if (call == "barrier") return {0};
  SplitMix64 random(static_cast<std::uint64_t>(options.seed));
  std::set<Index> sizes;
  const Index least = std::max(number, options.min_bytes);
  for (const Index bytes : spread_sizes(least, std::max(least, options.max_bytes), 1, random))
    sizes.insert(whole_numbers(static_cast<double>(bytes)));
  return sizes;
}

/// The shortest stay of each rank; what is below a microsecond is all one.
std::vector<double> shortest_stays_s(const std::vector<CollectiveTiming>& calls) {
  constexpr double least_s = 1e-6;
  std::vector<double> stays_s(calls.front().begun_s.size(), std::numeric_limits<double>::infinity());
  for (const CollectiveTiming& call : calls)
    for (std::size_t rank = 0; rank < stays_s.size(); ++rank)
      stays_s[rank] = std::max(least_s, std::min(stays_s[rank], call.ended_s[rank] - call.begun_s[rank]));
  return stays_s;
}

/// By how much one of the ranks' times grows more than the size; sizes above 0.
double leap_between(const std::vector<double>& small_s, const std::vector<double>& large_s, double sizes) {
  double most = 0;
  for (std::size_t rank = 0; rank < small_s.size(); ++rank)
    most = std::max(most, large_s[rank] / small_s[rank] / sizes);
  return most;
}

double seconds_for(const CollectiveVisit& visit, double call_s) {
  return static_cast<double>(visit.warm_ups + visit.repetitions) * call_s;
}

Index repetitions_of(double call_s) {
  return std::clamp(static_cast<Index>(seconds_a_visit / call_s), least_a_visit, most_calls_a_visit);
}

/// Since the first rank began.
calibration::RootedSeries rooted_series(const std::string& call, Index bytes,
                                        const std::vector<CollectiveTiming>& calls) {
  calibration::RootedSeries series{.call = call, .bytes = bytes, .begun_s = {}, .ended_s = {}};
  for (CollectiveTiming timing : calls) {
    const double first_s = std::ranges::min(timing.begun_s);
    for (auto* times_s : {&timing.begun_s, &timing.ended_s})
      for (double& time_s : *times_s) time_s -= first_s;
    series.begun_s.push_back(std::move(timing.begun_s));
    series.ended_s.push_back(std::move(timing.ended_s));
  }
  return series;
}

}  // namespace

CollectiveSampling::CollectiveSampling(CollectiveOptions options, CollectiveExchange& exchange,
                                       OnProgress on_progress)
    : options_(std::move(options)),
      exchange_(exchange),
      on_progress_(std::move(on_progress)),
      random_(static_cast<std::uint64_t>(options_.seed)),
      begun_s_(exchange.now_s()) {}

double CollectiveTiming::seconds() const {
  constexpr double least_s = 1e-9;
  return std::max(least_s, std::ranges::max(ended_s) - std::ranges::max(begun_s));
}

Index MeasuredCalls::count_below(Index repetitions) const {
  return std::ranges::count_if(together,
                               [&](const auto& series) { return std::ssize(series.seconds) < repetitions; }) +
         std::ranges::count_if(rooted,
                               [&](const auto& series) { return std::ssize(series.begun_s) < repetitions; });
}

MeasuredCalls CollectiveSampling::run() {
  scout();
  do {
    tell_progress();
    add_sizes();
  } while (go_round());
  MeasuredCalls all;
  for (const auto& [place, measured] : measured_)
    if (timing_graph::collectives::has_root(place.call))
      all.rooted.push_back(rooted_series(place.call, place.bytes, measured.calls));
    else
      all.together.push_back({.call = place.call, .bytes = place.bytes, .seconds = measured.times_s});
  return all;
}

double CollectiveSampling::left_s(double share) const {
  return begun_s_ + share * options_.budget_s - exchange_.now_s();
}

void CollectiveSampling::make(const CollectiveVisit& visit) {
  Measured& measured = measured_[{visit.call, visit.bytes}];
  const double begun_s = exchange_.now_s();
  for (CollectiveTiming& call : exchange_.visit(visit)) {
    measured.times_s.push_back(call.seconds());
    if (timing_graph::collectives::has_root(visit.call)) measured.calls.push_back(std::move(call));
  }
  measured.spent_s += exchange_.now_s() - begun_s;
}

/// Each call may use an equal part of what those before it have left.
void CollectiveSampling::scout() {
  auto calls_left = static_cast<double>(options_.calls.size());
  for (const std::string& call : options_.calls) scout(call, left_s(share_for_scouting) / calls_left--);
}

void CollectiveSampling::scout(const std::string& call, double budget_s) {
  const double until_s = exchange_.now_s() + budget_s;
  double predicted_s = 0;  // of the next size: at most twice the last one's
  for (const Index bytes : sizes_of(call, options_)) {
    const CollectiveVisit visit = visit_of({call, bytes}, 1, predicted_s);
    if (predicted_s > 0 && exchange_.now_s() + seconds_for(visit, predicted_s) > until_s) return;
    make(visit);
    predicted_s = 2 * measured_[{call, bytes}].times_s.front();
  }
}

std::optional<Index> CollectiveSampling::size_in_leap(const std::string& call) const {
  constexpr double leap = 3;
  constexpr double near_enough = 1.1;
  constexpr std::size_t enough_calls = 8;  // that each rank came last in one of them
  double most = leap;
  std::optional<Index> between;
  const auto first = measured_.lower_bound({call, 0});
  for (auto small = first; small != measured_.end() && small->first.call == call; ++small) {
    const auto large = std::next(small);
    if (large == measured_.end() || large->first.call != call) break;
    const double sizes = static_cast<double>(large->first.bytes) / static_cast<double>(small->first.bytes);
    if (std::min(small->second.calls.size(), large->second.calls.size()) < enough_calls ||
        sizes < near_enough)
      continue;
    const double here =
        leap_between(shortest_stays_s(small->second.calls), shortest_stays_s(large->second.calls), sizes);
    if (here > most) {
      most = here;
      between = whole_numbers(static_cast<double>(small->first.bytes) * std::sqrt(sizes));
    }
  }
  return between;
}

void CollectiveSampling::add_sizes() {
  for (const std::string& call : options_.calls) {
    if (left_s(share_for_adding) <= 0) return;
    if (const auto bytes = size_in_leap(call)) {
      const double call_s = median_of(measured_.upper_bound({call, *bytes})->second.times_s);
      make(visit_of({call, *bytes}, repetitions_of(call_s), call_s));
    }
  }
}

bool CollectiveSampling::is_due(const Measured& measured) const {
  return measured.spent_s < (exchange_.now_s() - begun_s_) / static_cast<double>(measured_.size());
}

CollectiveVisit CollectiveSampling::visit_of(const Place& place, Index repetitions, double call_s) {
  return {place.call, place.bytes, repetitions, call_s < worth_warming_s ? 1 : 0};
}

std::vector<CollectiveVisit> CollectiveSampling::next_visits() const {
  std::vector<CollectiveVisit> unfinished, due;
  for (const auto& [place, measured] : measured_) {
    if (std::ssize(measured.times_s) >= options_.repetitions) continue;
    const double call_s = median_of(measured.times_s);
    const CollectiveVisit visit = visit_of(place, repetitions_of(call_s), call_s);
    if (seconds_for(visit, call_s) > left_s(1)) continue;
    unfinished.push_back(visit);
    if (is_due(measured)) due.push_back(visit);
  }
  return due.empty() ? unfinished : due;
}

bool CollectiveSampling::go_round() {
  std::vector<CollectiveVisit> visits = next_visits();
  shuffle(visits, random_);
  bool has_visited = false;
  for (const CollectiveVisit& visit : visits) {
    if (seconds_for(visit, median_of(measured_[{visit.call, visit.bytes}].times_s)) > left_s(1)) continue;
    make(visit);
    has_visited = true;
  }
  return has_visited;
}

void CollectiveSampling::tell_progress() const {
  const auto enough = std::ranges::count_if(
      measured_, [this](const auto& one) { return std::ssize(one.second.times_s) >= options_.repetitions; });
  on_progress_(enough, std::ssize(measured_));
}

}  // namespace loadshare::tool
