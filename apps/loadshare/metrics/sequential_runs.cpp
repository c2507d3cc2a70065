#include "apps/loadshare/metrics/sequential_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/granularity/figures.hpp"
#include "models/granularity/spread.hpp"

namespace loadshare::tool {
namespace {

using granularity::RankTimes;

Setting problem_of(Setting setting) {
  for (const char* name : {experiment_option, load_option, idle_option}) setting.options.erase(name);
  return setting;
}

bool is_loaded(const Setting& setting) {
  return setting.options.contains(load_option);
}

const OptionValue* option_of(const Setting& setting, const char* name) {
  const auto found = setting.options.find(name);
  return found == setting.options.end() ? nullptr : &found->second;
}

bool has_same(const char* name, const Setting& one, const Setting& other) {
  const OptionValue* a = option_of(one, name);
  const OptionValue* b = option_of(other, name);
  return a != nullptr && b != nullptr ? *a == *b : a == b;
}

std::string file_of_run(const SourcedRun& run) {
  return run.place.substr(0, run.place.rfind(':'));
}

/// A quota says how fast a host is; without one only its name does.
bool is_equal_host(const RankTimes& one, const RankTimes& other) {
  const bool is_limited = one.capacity < 1;
  return !granularity::are_unequal(std::array{one.capacity, other.capacity}) &&
         (is_limited || one.host == other.host);
}

bool fits_a_run_of(const RunsByRanks& by_ranks, const SourcedRun& alone) {
  return std::ranges::any_of(by_ranks, [&](const auto& entry) {
    return std::ranges::any_of(entry.second, [&](const SourcedRun& run) {
      return file_of_run(run) == file_of_run(alone) &&
             is_equal_host(run.times.ranks.front(), alone.times.ranks.front());
    });
  });
}

std::vector<SourcedRun> ended_runs_alone(const RunsByRanks& by_ranks) {
  const auto alone = by_ranks.find(1);
  std::vector<SourcedRun> runs = alone == by_ranks.end() ? std::vector<SourcedRun>() : alone->second;
  std::erase_if(runs, [](const SourcedRun& run) { return !run.has_ended; });
  return runs;
}

std::string words_for(const std::vector<SourcedRun>& runs, const Setting& setting) {
  const Setting& of_runs = runs.front().setting;
  std::string where = is_loaded(of_runs) ? ", under the load" : "";
  if (!has_same(experiment_option, of_runs, setting))
    where +=
        fmt::format(" of the experiment {}", std::get<std::string>(*option_of(of_runs, experiment_option)));
  if (runs.size() == 1) return fmt::format("the run on 1 rank{}, {}", where, runs.front().place);
  return fmt::format("the median of {} runs on 1 rank{}", runs.size(), where);
}

double median_over(const std::vector<SourcedRun>& runs, const auto& of) {
  std::vector<double> values;
  std::ranges::transform(runs, std::back_inserter(values), of);
  return granularity::median_of(std::move(values));
}

/// Looks among the settings of the same problem; the first with a run that `accepts`.
SequentialRuns found_where(const Groups& groups, const Setting& setting, const auto& accepts) {
  for (const auto& [candidate, by_ranks] : groups) {
    if (problem_of(candidate) != problem_of(setting)) continue;
    std::vector<SourcedRun> runs = ended_runs_alone(by_ranks);
    std::erase_if(runs, [&](const SourcedRun& run) { return !accepts(candidate, run); });
    if (!runs.empty()) return {runs, words_for(runs, setting)};
  }
  return {};
}

}  // namespace

double SequentialRuns::time_s() const {
  return median_over(runs, [](const SourcedRun& run) { return run.times.run_s; });
}

double SequentialRuns::stolen_share() const {
  return median_over(runs, [](const SourcedRun& run) { return *granularity::figures_of(run.times).stolen; });
}

SequentialRuns sequential_runs(const Groups& groups, const Setting& setting) {
  const RunsByRanks& own = groups.at(setting);
  const auto is_undisturbed = [&](const Setting& other, const SourcedRun&) {
    return !is_loaded(other) && has_same(experiment_option, other, setting);
  };
  const auto is_of_another_experiment = [&](const Setting& other, const SourcedRun& run) {
    return !is_loaded(other) && option_of(other, experiment_option) != nullptr && fits_a_run_of(own, run);
  };
  const auto is_disturbed_alike = [&](const Setting& other, const SourcedRun&) {
    return has_same(load_option, other, setting) && has_same(experiment_option, other, setting);
  };
  SequentialRuns found = found_where(groups, setting, is_undisturbed);
  if (found.runs.empty() && option_of(setting, experiment_option) != nullptr)
    found = found_where(groups, setting, is_of_another_experiment);
  return found.runs.empty() ? found_where(groups, setting, is_disturbed_alike) : found;
}

}  // namespace loadshare::tool
