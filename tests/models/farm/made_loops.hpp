#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "models/farm/backtest.hpp"
#include "models/farm/farm_model.hpp"
#include "models/farm/farm_simulation.hpp"
#include "models/farm/prediction.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor::test {

/// A loop of known cost and its equal workers, for checking records and predictions. The costs of iterations
/// are fixed; chunks and runs scatter.
struct MadeLoop {
  std::vector<double> costs_s;  ///< of each iteration
  double narrow = 0;            ///< a chunk's beginning, in mean iterations
  double chunk_deviation = 0.015;
  double run_deviation = 0.02;
  std::size_t workers = 4;

  Scenario scenario(double slowness) const {
    Scenario made;
    std::vector<LoopCost::Bin> bins;
    for (const double cost_s : costs_s) bins.push_back({1, cost_s * slowness});
    made.loop = LoopCost::profile(std::move(bins));
    made.widths = {WidthFactor{narrow}};
    made.workers.resize(workers);
    made.scatter = {chunk_deviation * chunk_deviation, 0, 1};
    return made;
  }
  LoopFacts facts() const { return {static_cast<Index>(costs_s.size()), static_cast<Index>(workers)}; }
  /// Returns the record of a run of this technique; `number` selects its deviations.
  RunRecord record(const std::string& spec, std::uint64_t number, double slowness = 1) const {
    RunRecord run;
    run.app = "made";
    run.scheduler = spec;
    run.iterations = static_cast<Index>(costs_s.size());
    run.loop.emplace();
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      RankRecord rank;
      rank.rank = static_cast<int>(worker) + 1;
      rank.host = "host";
      rank.worker = WorkerId{worker};
      rank.stolen_s = 1e-3;
      run.ranks.push_back(rank);
    }
    const Scenario made = scenario(slowness);
    FarmSimulation simulation(made, built_in_schedulers().make(spec, facts()), number);
    simulation.on_chunk([&run](const ChunkRecord& chunk) {
      run.chunks.push_back(chunk);
      run.chunks.back().cpu_s = chunk.ended_s - chunk.begun_s;
    });
    run.makespan_s = simulation.run().makespan_s;
    return run;
  }
  /// The workers are threads, and the master only coordinates.
  FarmSetting setting() const {
    FarmSetting made;
    made.hosts.resize(workers + 1);
    for (HostModel& host : made.hosts) host.name = "host";
    made.master_works = false;
    return made;
  }
  Prediction predicted(const std::vector<RunRecord>& from, const std::string& spec,
                       std::size_t replicates) const {
    const FarmSetting farm = setting();
    FarmModel model = fit_farm(from);
    model.error_deviation = held_out_deviation(from, [&farm](const RunRecord&) {
                              return RunPlace{farm, [](auto&&...) { return nullptr; }};
                            }).value_or(0);
    const SchedulerTable table = built_in_schedulers();
    const auto make = [&](std::uint64_t number) {
      return make_scenario(
          model, farm, [](auto&&...) { return nullptr; }, number);
    };
    return Predictor(table, make, replicates).predict(spec);
  }
};

/// A gamma variable of mean 1, by sums and powers: Johnk's generator needs a shape below 1, so whole parts
/// are exponential.
inline double exponential(std::mt19937_64& random) {
  return -std::log(1 - fraction(random));
}

inline const std::vector<std::string>& loop_shapes() {
  static const std::vector<std::string> shapes{"even",  "rising",  "falling",     "hill",
                                               "steps", "bimodal", "exponential", "waves"};
  return shapes;
}

/// So many iterations of a millisecond in the mean, or about.
inline std::vector<double> loop_of_shape(const std::string& shape, std::size_t count,
                                         std::mt19937_64& random) {
  std::vector<double> costs_s(count);
  const double low = 0.05 + 0.5 * fraction(random);
  for (std::size_t i = 0; i < count; ++i) {
    const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    double cost = 1;
    if (shape == "rising") cost = low + 2 * (1 - low) * at;
    if (shape == "falling") cost = low + 2 * (1 - low) * (1 - at);
    if (shape == "hill") cost = low + 2 * (1 - low) * std::exp(-20 * (at - 0.55) * (at - 0.55));
    if (shape == "steps") cost = at < 0.5 ? 1.5 : at < 0.8 ? low : 1;
    if (shape == "bimodal") cost = fraction(random) < 0.1 ? 5.5 : 0.5;
    if (shape == "exponential") cost = exponential(random);
    if (shape == "waves") cost = 1 + (1 - low) * std::sin(40 * at);
    costs_s[i] = 1e-3 * cost;
  }
  return costs_s;
}

}  // namespace loadshare::predictor::test
