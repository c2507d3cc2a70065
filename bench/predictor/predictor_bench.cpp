// Simulates the scenario of the options by FarmSimulation. The reference is bench/reference/simgrid_farm.cpp,
// which takes the same options.
#include <limits>
#include <memory>

#include "bench/predictor/simulator.hpp"
#include "models/farm/farm_simulation.hpp"
#include "models/messages/message_costs.hpp"
#include "runtime/host/clock.hpp"

namespace {

using namespace loadshare;
using bench::ScenarioOptions;

predictor::Availability availability(const ScenarioOptions& options, std::size_t rank) {
  const std::optional<LoadPlan> plan = options.load_of(rank);
  return plan ? predictor::Availability(*plan) : predictor::Availability();
}

/// SimGrid's actors post every receive in advance, so messages need no rendezvous here either.
std::shared_ptr<const communication::MessageCosts> link_costs(const ScenarioOptions& options) {
  return std::make_shared<communication::LinearCosts>(communication::LinearCosts::Parameters{
      options.latency_s, options.bandwidth_bytes_per_s, std::numeric_limits<double>::infinity()});
}

predictor::Scenario scenario_of(const ScenarioOptions& options) {
  predictor::Scenario scenario;
  scenario.loop = predictor::LoopCost::uniform(options.iterations, options.iteration_s);
  scenario.links = {link_costs(options)};
  for (std::size_t i = 0; i < options.speeds.size(); ++i) {
    predictor::WorkerModel worker;
    worker.speed = options.speeds[i];
    worker.load = availability(options, i + 1);
    worker.link = 0;
    scenario.workers.push_back(worker);
  }
  scenario.master.load = availability(options, 0);
  scenario.master.far.order_s = options.master_order_s;
  scenario.master.far.report_s = options.master_report_s;
  scenario.bytes = {options.order_bytes, options.report_bytes, options.input_bytes, options.result_bytes};
  scenario.ports =
      options.port == bench::Port::shared ? predictor::PortOrder::shared : predictor::PortOrder::in_turn;
  scenario.prefetch = options.prefetch;
  return scenario;
}

bench::Simulated simulate(const ScenarioOptions& options) {
  const predictor::Scenario scenario = scenario_of(options);
  const double begun_s = monotonic_s();
  predictor::Outcome outcome = predictor::FarmSimulation(scenario, options.make_scheduler()).run();
  const double taken_s = monotonic_s() - begun_s;
  Index iterations = 0;
  for (const predictor::WorkerOutcome& worker : outcome.workers) iterations += worker.iterations;
  return {outcome.makespan_s, outcome.chunks, iterations, taken_s};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_simulator("predictor_bench", argc, argv, simulate);
}
