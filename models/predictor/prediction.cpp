#include "models/predictor/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "models/predictor/farm_simulation.hpp"

namespace loadshare::predictor {

namespace {

LoopShape shape_of(const Scenario& scenario) {
  return {scenario.loop.iterations(), static_cast<Index>(scenario.workers.size())};
}

/// The value below which the share `p` of the sorted values lies, interpolated between ranks p (n - 1).
double quantile(const std::vector<double>& sorted, double p) {
  const double rank = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double busy_share(const Outcome& outcome) {
  double sum_s = 0;
  for (const WorkerOutcome& worker : outcome.workers) sum_s += worker.computing_s;
  const double all_s = outcome.makespan_s * static_cast<double>(outcome.workers.size());
  return all_s > 0 ? std::min(1.0, sum_s / all_s) : 0;
}

void fill_interval(Prediction& prediction) {
  std::vector<double> sorted = prediction.makespans_s;
  std::ranges::sort(sorted);
  prediction.makespan_s = quantile(sorted, 0.5);
  prediction.low_s = quantile(sorted, 0.05);
  prediction.high_s = quantile(sorted, 0.95);
}

}  // namespace

Predictor::Predictor(const SchedulerTable& schedulers, const Replicates& make, std::size_t replicates)
    : schedulers_(schedulers), middle_(make(0)) {
  for (std::size_t i = 1; i <= replicates; ++i) scenarios_.push_back(make(i));
  if (scenarios_.empty()) scenarios_.push_back(middle_);
}

Prediction Predictor::predict(const std::string& spec) const {
  Prediction prediction;
  prediction.scheduler = schedulers_.parse(spec).text();
  const auto count = static_cast<double>(scenarios_.size());
  for (std::size_t i = 0; i < scenarios_.size(); ++i) {
    const Scenario& scenario = scenarios_[i];
    FarmSimulation simulation(scenario, schedulers_.make(spec, shape_of(scenario)), i + 1);
    const Outcome outcome = simulation.run();
    prediction.makespans_s.push_back(outcome.makespan_s);
    prediction.busy += busy_share(outcome) / count;
    prediction.messages += static_cast<double>(outcome.messages) / count;
  }
  prediction.idle = 1 - prediction.busy;
  fill_interval(prediction);
  const Outcome outcome = FarmSimulation(middle_, schedulers_.make(spec, shape_of(middle_))).run();
  prediction.bounds = bounds_of(middle_, outcome);
  prediction.bound = binding_bound(prediction.bounds, outcome);
  return prediction;
}

std::vector<ChunkRecord> Predictor::chunks(const std::string& spec) const {
  std::vector<ChunkRecord> chunks;
  FarmSimulation simulation(middle_, schedulers_.make(spec, shape_of(middle_)));
  simulation.keep_chunks(chunks);
  simulation.run();
  return chunks;
}

}  // namespace loadshare::predictor
