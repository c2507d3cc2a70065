#include "models/farm/backtest.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "models/farm/prediction.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {
namespace {

constexpr std::size_t replicates = 10;  // of each run, in pairs
constexpr std::size_t most_folds = 3;   // a fit may take a second
constexpr std::size_t most_runs = 3;    // of a technique, that are predicted: from all over its runs

struct PlacedRun {
  const RunRecord* run;
  RunPlace place;
};

using Techniques = std::map<std::string, std::vector<PlacedRun>>;

/// Whether it was computed from its beginning to its end by those who were there at the start.
bool is_whole(const RunRecord& run) {
  if (run.membership || (run.journal && run.journal->recovered > 0)) return false;
  Index iterations = 0;
  bool is_timed = false;
  for (const ChunkRecord& chunk : run.chunks) {
    if (!chunk.is_duplicate) iterations += chunk.chunk.size;
    is_timed = is_timed || chunk.cpu_s > 0;
  }
  return is_timed && (run.is_thinned || iterations == run.iterations);
}

Techniques techniques_of(std::span<const RunRecord> runs, const SchedulerTable& table,
                         const std::function<std::optional<RunPlace>(const RunRecord&)>& place_of) {
  Techniques techniques;
  for (const RunRecord& run : runs) {
    if (run.choice || !(run.makespan_s > 0) || !table.has_technique(run.scheduler) || !is_whole(run))
      continue;
    if (std::optional<RunPlace> place = place_of(run))
      techniques[run.scheduler].push_back({&run, std::move(*place)});
  }
  return techniques;
}

/// Of the technique's runs the middle one's.
double error_of(const std::vector<PlacedRun>& runs, const FarmModel& model, const SchedulerTable& table,
                int cores) {
  std::vector<double> errors;
  const std::size_t count = std::min(runs.size(), most_runs);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [run, place] = runs[i * runs.size() / count];
    const auto make = [&](std::uint64_t replicate) {
      return make_scenario(model, place.setting, place.network, replicate);
    };
    const Prediction predicted = Predictor(table, make, replicates, cores).predict(run->scheduler);
    errors.push_back(std::log(run->makespan_s / predicted.makespan_s));
  }
  return median_of(errors);
}

/// A technique each, those of a fold predicted from those of the others.
std::vector<double> errors_of(const Techniques& techniques, const SchedulerTable& table, int cores) {
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
    for (const std::vector<PlacedRun>* runs : held_out)
      errors.push_back(error_of(*runs, model, table, cores));
  }
  return errors;
}

}  // namespace

std::optional<double> held_out_deviation(
    std::span<const RunRecord> runs, const std::function<std::optional<RunPlace>(const RunRecord&)>& place_of,
    int cores) {
  const SchedulerTable table = built_in_schedulers();
  const Techniques techniques = techniques_of(runs, table, place_of);
  if (techniques.size() < 2) return std::nullopt;
  double squares = 0;
  for (const double error : errors_of(techniques, table, cores)) squares += error * error;
  constexpr double usual = usual_run_deviation, usual_counts = 2;
  const std::size_t own = techniques.size() - 1, freedom = own + static_cast<std::size_t>(usual_counts);
  squares = squares * static_cast<double>(own) / static_cast<double>(techniques.size()) +
            usual_counts * usual * usual;
  return std::sqrt(squares / static_cast<double>(freedom)) * students_t_over_normal(freedom);
}

}  // namespace loadshare::predictor
