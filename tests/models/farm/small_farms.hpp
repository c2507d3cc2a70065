#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/farm/farm_simulation.hpp"
#include "models/messages/message_costs.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

struct Simulated {
  Outcome outcome;
  std::vector<ChunkRecord> chunks;  // in the order of return
};

inline Simulated run(const Scenario& scenario, const std::string& spec) {
  const LoopFacts loop{scenario.loop.iterations(), static_cast<Index>(scenario.workers.size())};
  Simulated found;
  FarmSimulation simulation(scenario, built_in_schedulers().make(spec, loop));
  simulation.on_chunk([&](const ChunkRecord& chunk) { found.chunks.push_back(chunk); });
  found.outcome = simulation.run();
  return found;
}

/// Workers that share the master's memory and compute an iteration per second.
inline Scenario near_farm(std::size_t workers, Index iterations) {
  Scenario scenario;
  scenario.loop = LoopCost::uniform(iterations, 1);
  scenario.workers.resize(workers);
  return scenario;
}

/// By a wire without latency on which an order takes `order_s` and a report `report_s`.
inline Scenario far_farm(std::size_t workers, Index iterations, double order_s, double report_s,
                         double eager_bytes = 1e9) {
  Scenario scenario = near_farm(workers, iterations);
  scenario.links = {std::make_shared<communication::LinearCosts>(
      communication::LinearCosts::Parameters{0, 1, eager_bytes})};
  scenario.bytes = {0, 0, order_s, report_s};
  for (WorkerModel& worker : scenario.workers) worker.link = 0;
  return scenario;
}

}  // namespace loadshare::predictor
