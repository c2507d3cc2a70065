#include "models/farm/chunk_bundles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "models/farm/prediction.hpp"
#include "tests/models/farm/small_farms.hpp"

namespace loadshare::predictor {
namespace {

constexpr Bundling never{.exact_chunks = std::numeric_limits<Index>::max()};
constexpr Bundling always{.exact_chunks = 0, .least_parts = 256};

Outcome simulate_bundled(const Scenario& scenario, const std::string& spec, const Bundling& bundling) {
  return FarmSimulation(scenario, built_in_schedulers().make(spec, facts_of(scenario)), 7, bundling).run();
}

/// By how much bundled chunks change the makespan, relatively.
double bundling_error(const Scenario& scenario, const std::string& spec) {
  const Outcome exact = simulate_bundled(scenario, spec, never),
                bundled = simulate_bundled(scenario, spec, always);
  EXPECT_GT(bundled.most_at_once, 1) << spec;
  EXPECT_EQ(exact.most_at_once, 1) << spec;
  EXPECT_NEAR(static_cast<double>(bundled.chunks), static_cast<double>(exact.chunks),
              0.01 * static_cast<double>(exact.chunks))
      << spec;
  return bundled.makespan_s / exact.makespan_s - 1;
}

Scenario made_unequal(Scenario scenario) {
  for (std::size_t i = 0; i < scenario.workers.size(); ++i)
    scenario.workers[i].speed = 1 + 0.37 * static_cast<double>(i);
  return scenario;
}

/// Messages that cost time everywhere: a latency, ports, both ends, and looks now and then.
Scenario wired_farm(std::size_t workers, Index iterations, double iteration_s) {
  Scenario scenario = far_farm(workers, iterations, 100, 60);
  scenario.loop = LoopCost::uniform(iterations, iteration_s);
  scenario.links = {std::make_shared<communication::LinearCosts>(communication::LinearCosts::Parameters{
      .latency_s = 1e-4, .bandwidth_bytes_per_s = 1e7, .port_bytes_per_s = 1.2e7})};
  scenario.bytes = {.order = 100, .report = 60, .input_each = 400, .result_each = 900};
  scenario.master.far = {.report_s = 3e-5, .order_s = 2e-5, .polling_latency_s = 5e-5};
  for (WorkerModel& worker : scenario.workers) worker.report_s = 2e-5, worker.polling_latency_s = 5e-5;
  return made_unequal(scenario);
}

void add_loads(Scenario& scenario) {
  for (std::size_t i = 0; i < scenario.workers.size(); i += 2)
    scenario.workers[i].load = Availability(LoadPlan::on_off(0.4, 0.6, 0.5, 0.1 * static_cast<double>(i)));
}

TEST(ChunkBundles, TakeAsLongAsTheirChunks) {
  EXPECT_NEAR(bundling_error(made_unequal(near_farm(5, 60'000)), "ss"), 0, 1e-3);
  EXPECT_NEAR(bundling_error(wired_farm(4, 60'000, 1e-3), "ss"), 0, 3e-3)
      << "workers compute most of the time";
  EXPECT_NEAR(bundling_error(wired_farm(4, 60'000, 1e-6), "ss"), 0, 3e-3)
      << "the master is busy all the time";
  EXPECT_NEAR(bundling_error(wired_farm(6, 180'000, 3e-4), "send:3"), 0, 3e-3);
}

TEST(ChunkBundles, TakeAsLongWithPrefetch) {
  for (const double iteration_s : {1e-6, 1e-4, 1e-3}) {
    Scenario scenario = wired_farm(4, 60'000, iteration_s);
    scenario.prefetch = 2;
    EXPECT_NEAR(bundling_error(scenario, "ss"), 0, 5e-3) << iteration_s;
  }
}

TEST(ChunkBundles, TakeAsLongOnSharedPorts) {
  for (const PortOrder ports : {PortOrder::shared, PortOrder::queued})
    for (const double burst_s : {0.0, 2e-3}) {
      Scenario scenario = wired_farm(4, 60'000, 1e-4);
      scenario.ports = ports;
      scenario.port_burst_s = burst_s;
      EXPECT_NEAR(bundling_error(scenario, "ss"), 0, 1e-2) << burst_s;
    }
}

TEST(ChunkBundles, TakeAsLongUnderLoads) {
  Scenario scenario = wired_farm(4, 60'000, 1e-3);
  add_loads(scenario);
  EXPECT_NEAR(bundling_error(scenario, "ss"), 0, 1e-2);
}

TEST(ChunkBundles, TakeAsLongUnderLimits) {
  for (const double share : {0.2, 0.6, 0.9}) {
    Scenario scenario = wired_farm(4, 60'000, 3e-4);
    for (WorkerModel& worker : scenario.workers) worker.grant = CpuQuota{.share = share};
    EXPECT_NEAR(bundling_error(scenario, "ss"), 0, 3e-2) << share;
  }
}

TEST(ChunkBundles, ScatterAsTheirChunksDoTogether) {
  Scenario scenario = wired_farm(4, 60'000, 1e-3);
  scenario.scatter = {.chunk_variance = 0.3, .iteration_variance = 0.5};
  EXPECT_NEAR(bundling_error(scenario, "ss"), 0, 1e-2);
}

TEST(ChunkBundles, FollowTheSizesOfATechnique) {
  for (const char* spec : {"tss:first=300,step=0,min=1", "adaptive:3,1,9", "factoring:40", "rnd:1,9",
                           "gss:20000", "tss:400,1", "fsc:overhead=1e-7,sigma=0.001"})
    EXPECT_NEAR(bundling_error(wired_farm(4, 1'000'000, 1e-5), spec), 0, 1e-2) << spec;
}

TEST(ChunkBundles, AreSingleChunksAtTheBeginningAndTheEnd) {
  std::vector<Index> sizes;
  const Scenario scenario = near_farm(2, 100'000);
  FarmSimulation simulation(scenario, built_in_schedulers().make("ss", {100'000, 2}), 0, always);
  simulation.on_chunk([&](const ChunkRecord& chunk) { sizes.push_back(chunk.chunk.size); });
  const Outcome outcome = simulation.run();
  EXPECT_EQ(outcome.chunks, 100'000);
  EXPECT_LT(sizes.size(), 5000u);
  EXPECT_EQ(outcome.most_at_once, std::ranges::max(sizes));
  EXPECT_LE(outcome.most_at_once, 50'000 / 256);
  for (const std::size_t i : {std::size_t{0}, std::size_t{255}, sizes.size() - 256, sizes.size() - 1})
    EXPECT_EQ(sizes[i], 1) << i;
}

TEST(ChunkBundles, MakeLoopsOfAnySizePredictable) {
  for (const Index iterations : {Index{1'000'000'000}, Index{1'000'000'000'000}}) {
    const Scenario scenario = wired_farm(4, iterations, 1e-6);
    std::size_t steps = 0;
    FarmSimulation simulation(scenario, built_in_schedulers().make("ss", facts_of(scenario)));
    simulation.on_chunk([&](const ChunkRecord&) { ++steps; });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.chunks, iterations);
    EXPECT_LT(steps, 250'000u);
    // In a loop of this length the ends are negligible: a part of it takes the same part of the time.
    const double part_s = simulate_bundled(wired_farm(4, 100'000, 1e-6), "ss", never).makespan_s;
    EXPECT_NEAR(outcome.makespan_s / static_cast<double>(iterations) / (part_s / 100'000), 1, 0.01);
  }
}

TEST(ChunkBundles, LeaveLoopsOfFewerChunksAsTheyAre) {
  const Scenario scenario = wired_farm(4, Index{1} << 18, 1e-6);
  EXPECT_EQ(simulate_bundled(scenario, "ss", {}).makespan_s,
            simulate_bundled(scenario, "ss", never).makespan_s);
}

TEST(ChunkBundles, LoseOneChunkWithAWorker) {
  Scenario scenario = made_unequal(near_farm(4, 100'000));
  scenario.workers[2].stay = {.until_s = 9000.5, .end = Stay::End::is_lost};
  const Outcome exact = simulate_bundled(scenario, "ss", never),
                bundled = simulate_bundled(scenario, "ss", always);
  EXPECT_EQ(exact.lost_iterations, 1);
  EXPECT_EQ(bundled.lost_iterations, 1);
  EXPECT_NEAR(bundled.makespan_s / exact.makespan_s, 1, 5e-3);
}

}  // namespace
}  // namespace loadshare::predictor
