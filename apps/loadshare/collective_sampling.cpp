#include "apps/loadshare/collective_sampling.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "apps/loadshare/message_sampling.hpp"
#include "base/statistics.hpp"
#include "experiments/sweep/plan.hpp"
#include "models/program/collectives/table.hpp"

namespace loadshare::tool {
namespace {

constexpr double share_for_scouting = 0.4;
constexpr double seconds_a_visit = 20e-3;
constexpr Index least_a_visit = 2;
constexpr Index most_calls_a_visit = 10;

/// Of whole numbers of four bytes, which a reduction adds.
std::set<Index> sizes_of(const std::string& call, const CollectiveOptions& options) {
  constexpr Index number = 4;
  if (call == "barrier") return {0};
  SplitMix64 random(static_cast<std::uint64_t>(options.seed));
  std::set<Index> sizes;
  const Index least = std::max(number, options.min_bytes);
  for (const Index bytes : spread_sizes(least, std::max(least, options.max_bytes), 1, random))
    sizes.insert((bytes + number - 1) / number * number);
  return sizes;
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
  do tell_progress();
  while (go_round());
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
