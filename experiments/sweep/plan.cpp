#include "experiments/sweep/plan.hpp"

#include <algorithm>
#include <numeric>

#include "base/names.hpp"
#include "base/paired_test.hpp"
#include "base/random.hpp"

namespace loadshare::sweep {
namespace {

void require_names(const SweepSpec& spec, const std::vector<std::string>& only) {
  std::vector<std::string> names;
  for (const Experiment& experiment : spec.experiments) names.push_back(experiment.name);
  for (const std::string& name : only)
    if (std::ranges::find(names, name) == names.end()) throw unknown_name("experiment", name, names);
}

}  // namespace

std::vector<Index> looks_of(const Repeat& repeat) {
  std::vector<Index> looks;
  for (Index rounds = repeat.at_least; rounds < repeat.at_most; rounds += (rounds + 1) / 2)
    looks.push_back(rounds);
  looks.push_back(repeat.at_most);
  const auto fewest = [&] {
    return static_cast<Index>(fewest_ranked(most_error / static_cast<double>(looks.size())));
  };
  while (looks.size() > 1 && looks.front() < fewest()) looks.erase(looks.begin());
  return looks;
}

bool is_known_within(std::span<const double> samples, double within, double error) {
  const auto interval = median_interval(samples, error);
  if (!interval) return false;
  const double median = median_of(samples), reach = within * median;
  return median - interval->low <= reach && interval->high - median <= reach;
}

bool is_enough(const Repeat& repeat, Index rounds, std::span<const double> samples) {
  if (static_cast<Index>(samples.size()) >= repeat.at_most) return true;
  if (repeat.is_fixed()) return false;
  const std::vector<Index> looks = looks_of(repeat);
  return std::ranges::find(looks, rounds) != looks.end() &&
         is_known_within(samples, repeat.within, most_error / static_cast<double>(looks.size()));
}

Plan::Plan(const SweepSpec& spec, const std::vector<std::string>& only) : seed_(spec.seed) {
  require_names(spec, only);
  for (const Experiment& experiment : spec.experiments) {
    if (!only.empty() && std::ranges::find(only, experiment.name) == only.end()) continue;
    for (const Point& point : experiment.points) states_.push_back({&experiment, &point, {}, {}, false});
    left_ += experiment.repeat.at_most * static_cast<Index>(experiment.points.size());
    last_repetition_ = std::max(last_repetition_, experiment.repeat.at_most - 1);
  }
}

void Plan::already_done(const std::string& point_id, Index repetition, double makespan_s) {
  const auto state =
      std::ranges::find_if(states_, [&](const State& one) { return one.point->id == point_id; });
  if (state == states_.end() || !state->repetitions.insert(repetition).second) return;
  state->samples.push_back(makespan_s);
  if (!state->is_over && repetition < state->experiment->repeat.at_most) --left_;
  end_if_enough(*state, repetition + 1);
}

std::optional<PlannedRun> Plan::next() {
  while (round_.empty()) {
    if (repetition_ >= last_repetition_) return std::nullopt;
    begin_round();
  }
  const std::size_t place = round_.back();
  round_.pop_back();
  --left_;
  return PlannedRun{states_[place].experiment, states_[place].point, repetition_, place};
}

void Plan::begin_round() {
  ++repetition_;
  round_.resize(states_.size());
  std::iota(round_.begin(), round_.end(), std::size_t{0});
  SplitMix64 random(SplitMix64(seed_).next() + static_cast<std::uint64_t>(repetition_));
  shuffle(round_, random);
  // After the shuffle, so that a resumed sweep keeps the order of an uninterrupted one.
  std::erase_if(round_, [this](std::size_t place) { return !wants_run(states_[place]); });
}

bool Plan::wants_run(const State& state) const {
  return !state.is_over && repetition_ < state.experiment->repeat.at_most &&
         !state.repetitions.contains(repetition_);
}

void Plan::done(const PlannedRun& run, std::optional<double> makespan_s) {
  if (!makespan_s) return;
  State& state = states_[run.place];
  state.repetitions.insert(run.repetition);
  state.samples.push_back(*makespan_s);
  end_if_enough(state, run.repetition + 1);
}

void Plan::end_if_enough(State& state, Index rounds) {
  if (state.is_over || !is_enough(state.experiment->repeat, rounds, state.samples)) return;
  state.is_over = true;
  left_ -= runs_from(state, repetition_ + 1);
}

Index Plan::runs_from(const State& state, Index repetition) const {
  Index count = 0;
  for (Index one = repetition; one < state.experiment->repeat.at_most; ++one)
    if (!state.repetitions.contains(one)) ++count;
  return count;
}

bool Plan::may_end_early() const {
  return std::ranges::any_of(
      states_, [](const State& state) { return !state.is_over && !state.experiment->repeat.is_fixed(); });
}

}  // namespace loadshare::sweep
