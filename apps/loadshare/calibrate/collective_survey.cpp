#include "apps/loadshare/calibrate/collective_survey.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "apps/loadshare/calibrate/sizes.hpp"
#include "experiments/sweep/stop_rule.hpp"

namespace loadshare::tool {
namespace {

constexpr double share_for_scouting = 0.4;
constexpr double seconds_a_visit = 20e-3;
constexpr Index most_a_visit = 10;
constexpr Index calls_to_scout = 2;  // the one that goes ahead, and a timed one

/// Of whole numbers of four bytes, which a reduction adds.
std::set<Index> sizes_of(const std::string& call, const CollectiveOptions& options) {
  constexpr Index number = 4;
  if (call == "barrier") return {0};
  sweep::SplitMix64 random(static_cast<std::uint64_t>(options.seed));
  std::set<Index> sizes;
  for (const Index bytes : spread_sizes(number, std::max(number, options.max_bytes), 1, random))
    sizes.insert((bytes + number - 1) / number * number);
  return sizes;
}

}  // namespace

CollectiveSurvey::CollectiveSurvey(CollectiveOptions options, CollectiveExchange& exchange,
                                   OnProgress on_progress)
    : options_(std::move(options)),
      exchange_(exchange),
      on_progress_(std::move(on_progress)),
      random_(static_cast<std::uint64_t>(options_.seed)),
      begun_s_(exchange.now_s()) {}

std::vector<calibration::CollectiveSeries> CollectiveSurvey::run() {
  scout();
  do tell_progress();
  while (go_round());
  std::vector<calibration::CollectiveSeries> all;
  for (const auto& [place, times] : times_)
    all.push_back({.call = place.call, .bytes = place.bytes, .seconds = times});
  return all;
}

double CollectiveSurvey::left_s(double share) const {
  return begun_s_ + share * options_.budget_s - exchange_.now_s();
}

/// Each call may use an equal part of what those before it have left.
void CollectiveSurvey::scout() {
  auto calls_left = static_cast<double>(options_.calls.size());
  for (const std::string& call : options_.calls) scout(call, left_s(share_for_scouting) / calls_left--);
}

void CollectiveSurvey::scout(const std::string& call, double budget_s) {
  const double until_s = exchange_.now_s() + budget_s;
  double predicted_s = 0;  // of the next size: at most twice the last one's
  for (const Index bytes : sizes_of(call, options_)) {
    const bool is_first = !times_.contains({call, bytes}) && predicted_s == 0;
    if (!is_first && exchange_.now_s() + static_cast<double>(calls_to_scout) * predicted_s > until_s) return;
    const Times& times = times_[{call, bytes}] = exchange_.visit({call, bytes, 1});
    predicted_s = 2 * times.front();
  }
}

Index CollectiveSurvey::repetitions_of(double call_s) const {
  return std::clamp(static_cast<Index>(seconds_a_visit / call_s), Index{1}, most_a_visit);
}

bool CollectiveSurvey::go_round() {
  std::vector<std::pair<Place, Times*>> unfinished;
  for (auto& [place, times] : times_)
    if (std::ssize(times) < options_.repetitions) unfinished.emplace_back(place, &times);
  sweep::shuffle(unfinished, random_);
  bool has_visited = false;
  for (auto& [place, times] : unfinished) {
    const double call_s = sweep::median(*times);
    const Index repetitions = repetitions_of(call_s);
    if (static_cast<double>(repetitions + 1) * call_s > left_s(1)) continue;
    const Times more = exchange_.visit({place.call, place.bytes, repetitions});
    times->insert(times->end(), more.begin(), more.end());
    has_visited = true;
  }
  return has_visited;
}

void CollectiveSurvey::tell_progress() const {
  const auto enough = std::ranges::count_if(
      times_, [this](const auto& one) { return std::ssize(one.second) >= options_.repetitions; });
  on_progress_(enough, std::ssize(times_));
}

}  // namespace loadshare::tool
