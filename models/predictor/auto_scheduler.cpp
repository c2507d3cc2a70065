#include "models/predictor/auto_scheduler.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "models/granularity/spread.hpp"
#include "models/predictor/bounds.hpp"
#include "models/predictor/choice.hpp"
#include "models/predictor/farm_simulation.hpp"

namespace loadshare::predictor {

namespace {

/// The survey may have this part of the loop at most: beyond it, it would decide the run.
constexpr Index survey_part = 4;
/// Its first chunks are this part of a worker's share; the later ones two or four times as large, by turns
/// from worker to worker and from chunk to chunk, so that what a chunk costs can be told from what an
/// iteration costs.
constexpr Index first_part = 64;
constexpr std::array<Index, 2> growths{4, 2};
/// A processor that is granted in turns (a control group's limit) shows its speed over several of them only.
constexpr double computing_wanted_s = 0.05;

std::string technique_of(const std::string& spec) {
  return spec.substr(0, spec.find(':'));
}

/// Each technique's first candidates first, then its second ones: whoever runs out of time has tried all.
std::vector<std::string> in_turns(const std::vector<std::string>& specs) {
  std::map<std::string, Index> counts;
  std::vector<std::pair<Index, std::string>> numbered;
  for (const std::string& spec : specs) numbered.emplace_back(counts[technique_of(spec)]++, spec);
  std::ranges::stable_sort(numbered, {}, [](const auto& one) { return one.first; });
  std::vector<std::string> ordered;
  for (auto& [number, spec] : numbered) ordered.push_back(std::move(spec));
  return ordered;
}

/// In how many runs of one survey's scenario candidates are compared at most.
constexpr std::uint64_t most_rounds = 5;
/// Of the budget, what is begun in: a host may be stopped meanwhile.
constexpr double begun_within = 0.5;
/// Chunks that scatter less do not decide between candidates.
constexpr double negligible_deviation = 1e-3;

}  // namespace

AutoScheduler::AutoScheduler(const SchedulerTable& candidates, const LoopShape& shape,
                             const Parameters& parameters, std::function<double()> clock, ChoiceRecord& told)
    : table_(candidates),
      shape_(shape),
      parameters_(parameters),
      clock_(std::move(clock)),
      told_(told),
      seen_(static_cast<std::size_t>(std::max<Index>(shape.workers, 1)), parameters.farm),
      given_(seen_.workers()) {}

Index AutoScheduler::next_size(WorkerId worker, Index remaining) {
  if (begun_s_ < 0) begun_s_ = clock_();
  if (!chosen_ && has_surveyed(remaining)) choose(remaining);
  if (chosen_) return chosen_->next_size(worker, remaining);
  const Index size = survey_size(worker, remaining);
  seen_.given(worker, size, clock_());
  return size;
}

void AutoScheduler::completed(const ChunkTiming& timing) {
  if (chosen_) return chosen_->completed(timing);
  seen_.completed(timing);
}

bool AutoScheduler::has_surveyed(Index remaining) const {
  if (!seen_.has_any()) return false;
  if (shape_.iterations - remaining > shape_.iterations / survey_part) return true;
  for (std::size_t worker = 0; worker < seen_.workers(); ++worker)
    if (seen_.computing_s(worker) < computing_wanted_s) return false;
  return true;
}

Index AutoScheduler::survey_size(WorkerId worker, Index remaining) {
  const Index first = std::max<Index>(1, shape_.iterations / std::max<Index>(shape_.workers, 1) / first_part);
  const Index number = given_[to_number(worker)]++;
  const auto turn = (static_cast<std::size_t>(number) + to_number(worker)) % growths.size();
  return std::min(number == 0 ? first : growths[turn] * first, remaining);
}

void AutoScheduler::choose(Index remaining) {
  const double begun_s = clock_();
  told_.survey_s = begun_s - begun_s_;
  const Scenario rest = seen_.scenario(remaining, begun_s);
  const std::vector<std::string> specs = table_.candidates({remaining, shape_.workers});
  told_.candidates = static_cast<Index>(specs.size());
  told_.budget_s = parameters_.budget * (told_.survey_s + bounds_of(rest, {}).work_s);
  const std::vector<Prediction> tried = predictions(rest, in_turns(specs), begun_s);
  const Choice choice = predictor::choose(tried, table_);
  told_.tried = static_cast<Index>(tried.size());
  told_.scheduler = tried[choice.chosen].scheduler;
  for (const std::size_t i : choice.level) told_.level.push_back(tried[i].scheduler);
  chosen_ = table_.make(told_.scheduler, {remaining, shape_.workers});
  told_.choosing_s = clock_() - begun_s;
  told_.predicted_s = told_.survey_s + told_.choosing_s + tried[choice.chosen].makespan_s;
}

// In rounds, the first without deviations, the others each with its own: one run may end well by chance. The
// first candidate is simulated whatever it takes, for one there must be, and it is the coarsest; later rounds
// count if there was time for all of them, as few of them tell nothing.
std::vector<Prediction> AutoScheduler::predictions(const Scenario& rest,
                                                   const std::vector<std::string>& specs,
                                                   double begun_s) const {
  std::vector<Prediction> tried;
  const auto has_time = [&] { return tried.empty() || clock_() - begun_s < begun_within * told_.budget_s; };
  const auto makespan_s = [&](const Scenario& scenario, const std::string& spec, std::uint64_t round) {
    const LoopShape shape{rest.loop.iterations(), static_cast<Index>(rest.workers.size())};
    const auto outcome = FarmSimulation(scenario, table_.make(spec, shape), round).run_while(has_time);
    return outcome ? std::optional(outcome->makespan_s) : std::nullopt;
  };
  Scenario even = rest;
  even.scatter = {};
  for (const std::string& spec : specs) {
    const std::optional<double> found_s = makespan_s(even, spec, 0);
    if (!found_s) break;
    tried.push_back({.scheduler = spec, .makespans_s = {*found_s}, .makespan_s = *found_s});
  }
  if (tried.size() < specs.size() || rest.scatter.deviation(1) <= negligible_deviation) return tried;
  std::vector<std::vector<double>> scattered(tried.size());
  for (std::uint64_t round = 1; round < most_rounds; ++round)
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const std::optional<double> found_s = makespan_s(rest, specs[i], round);
      if (!found_s) return tried;
      scattered[i].push_back(*found_s);
    }
  for (std::size_t i = 0; i < tried.size(); ++i) {
    tried[i].makespans_s.insert(tried[i].makespans_s.end(), scattered[i].begin(), scattered[i].end());
    tried[i].makespan_s = granularity::median_of(tried[i].makespans_s);
  }
  return tried;
}

}  // namespace loadshare::predictor
