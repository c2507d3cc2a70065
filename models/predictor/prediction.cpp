#include "models/predictor/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "models/granularity/spread.hpp"
#include "models/predictor/farm_simulation.hpp"

namespace loadshare::predictor {

namespace {

LoopShape shape_of(const Scenario& scenario) {
  return {scenario.loop.iterations(), static_cast<Index>(scenario.workers.size())};
}

double busy_share(const Outcome& outcome) {
  double sum_s = 0;
  for (const WorkerOutcome& worker : outcome.workers) sum_s += worker.computing_s;
  const double all_s = outcome.makespan_s * static_cast<double>(outcome.workers.size());
  return all_s > 0 ? std::min(1.0, sum_s / all_s) : 0;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void fill_interval(Prediction& prediction) {
  using granularity::quantile_of;
  prediction.makespan_s = quantile_of(prediction.makespans_s, 0.5);
  prediction.low_s = quantile_of(prediction.makespans_s, 0.05);
  prediction.high_s = quantile_of(prediction.makespans_s, 0.95);
}

}  // namespace

Predictor::Predictor(const SchedulerTable& schedulers, Replicates make, std::size_t replicates)
    : schedulers_(schedulers), make_(std::move(make)), replicates_(replicates), middle_(make_(0)) {}

Outcome Predictor::run(const Scenario& scenario, const std::string& spec, std::uint64_t number) const {
  return FarmSimulation(scenario, schedulers_.make(spec, shape_of(scenario)), number).run();
}

Prediction Predictor::predict(const std::string& spec) const {
  Prediction prediction;
  prediction.scheduler = schedulers_.parse(spec).text();
  const Outcome middle = run(middle_, spec, 0);
  prediction.bounds = bounds_of(middle_, middle);
  prediction.bound = binding_bound(prediction.bounds, middle);
  std::vector<double> busy, messages;
  const auto add = [&](const Outcome& outcome) {
    prediction.makespans_s.push_back(outcome.makespan_s);
    busy.push_back(busy_share(outcome));
    messages.push_back(static_cast<double>(outcome.messages));
  };
  if (replicates_ < 2) add(middle);
  for (std::uint64_t i = 1; replicates_ > 1 && i <= replicates_; ++i) add(run(make_(i), spec, i));
  prediction.busy = mean(busy);
  prediction.idle = 1 - prediction.busy;
  prediction.messages = mean(messages);
  fill_interval(prediction);
  return prediction;
}

std::vector<ChunkRecord> Predictor::chunks(const std::string& spec, std::size_t most) const {
  std::vector<ChunkRecord> chunks;
  FarmSimulation simulation(middle_, schedulers_.make(spec, shape_of(middle_)));
  simulation.tell_chunks([&](const ChunkRecord& chunk) {
    if (chunks.size() < most) chunks.push_back(chunk);
  });
  simulation.run();
  return chunks;
}

}  // namespace loadshare::predictor
