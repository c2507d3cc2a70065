#include "models/farm/backtest.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "models/farm/prediction.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {
namespace {

constexpr std::size_t replicates = 9;  // of each run
constexpr std::size_t most_folds = 4;  // a fit may take a second
constexpr std::size_t most_runs = 3;   // of a technique, that are predicted

struct PlacedRun {
  const RunRecord* run;
  RunPlace place;
};

/// Runs by technique, in an order that does not depend on theirs.
using Techniques = std::map<std::string, std::vector<PlacedRun>>;

bool is_in(const SchedulerTable& table, const std::string& scheduler) {
  const std::string name = scheduler.substr(0, scheduler.find(':'));
  return std::ranges::find(table.entries(), name, &SchedulerEntry::name) != table.entries().end();
}

/// Of the technique's runs the middle one's.
double error_of(const std::vector<PlacedRun>& runs, const FarmModel& model, const SchedulerTable& table) {
  std::vector<double> errors;
  for (const auto& [run, place] : runs | std::views::take(most_runs)) {
    const auto make = [&](std::uint64_t replicate) {
      return make_scenario(model, place.setting, place.network, replicate);
    };
    const Prediction predicted = Predictor(table, make, replicates).predict(run->scheduler);
    errors.push_back(std::log(run->makespan_s / predicted.makespan_s));
  }
  return median_of(errors);
}

/// A technique each, those of a fold predicted from those of the others.
std::vector<double> errors_of(const Techniques& techniques, const SchedulerTable& table) {
  std::vector<double> errors;
  const std::size_t folds = std::min(techniques.size(), most_folds);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<RunRecord> others;
    std::vector<const std::vector<PlacedRun>*> held_out;
    std::size_t number = 0;
    for (const auto& [technique, runs] : techniques) {
      if (number++ % folds == fold)
        held_out.push_back(&runs);
      else
        for (const PlacedRun& one : runs) others.push_back(*one.run);
    }
    const FarmModel model = fit_farm(others);
    for (const std::vector<PlacedRun>* runs : held_out) errors.push_back(error_of(*runs, model, table));
  }
  return errors;
}

}  // namespace

std::optional<double> held_out_deviation(
    std::span<const RunRecord> runs,
    const std::function<std::optional<RunPlace>(const RunRecord&)>& place_of) {
  const SchedulerTable table = built_in_schedulers();
  Techniques techniques;
  for (const RunRecord& run : runs) {
    std::optional<RunPlace> place = place_of(run);
    if (!place || run.choice || !is_in(table, run.scheduler)) return std::nullopt;
    techniques[run.scheduler].push_back({&run, std::move(*place)});
  }
  if (techniques.size() < 2) return std::nullopt;
  constexpr double usual = 0.02, usual_counts = 2;
  double squares = usual_counts * usual * usual;
  for (const double error : errors_of(techniques, table)) squares += error * error;
  const auto freedom = techniques.size() + static_cast<std::size_t>(usual_counts);
  return std::sqrt(squares / static_cast<double>(freedom)) * students_t_over_normal(freedom);
}

}  // namespace loadshare::predictor
