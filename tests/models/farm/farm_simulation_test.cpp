#include "models/farm/farm_simulation.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/messages/message_costs.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {
namespace {

using testing::ElementsAreArray;

std::unique_ptr<ChunkScheduler> scheduler(const std::string& spec, const Scenario& scenario) {
  return built_in_schedulers().make(
      spec, {scenario.loop.iterations(), static_cast<Index>(scenario.workers.size())});
}

Outcome simulate(const Scenario& scenario, const std::string& spec) {
  return FarmSimulation(scenario, scheduler(spec, scenario)).run();
}

/// Nine unequal workers that ask without cost: tests/data/pull_makespans.json.
Scenario golden_scenario(bool has_load, double column_s) {
  Scenario scenario;
  scenario.loop = LoopCost::uniform(720, column_s);
  for (int i = 0; i < 9; ++i) {
    WorkerModel worker;
    worker.speed = (i < 6 ? 1 : 3) + 0.01 * i;
    if (has_load) worker.load = Availability(LoadPlan::on_off(1, 1, 0.5, std::fmod(2 - 0.2 * i, 2)));
    scenario.workers.push_back(worker);
  }
  return scenario;
}

const std::map<std::string, std::string> spec_of{
    {"SEND1", "send:1"},     {"SEND3", "send:3"},     {"GSS14", "gss:14"},    {"FAC40", "factoring:40"},
    {"TSS40_2", "tss:40,2"}, {"TSS40_1", "tss:40,1"}, {"STATIC80", "send:80"}};

TEST(FarmSimulationTest, ReproducesTheGoldenPullMakespans) {
  std::ifstream file(std::string(LOADSHARE_TEST_DATA) + "/pull_makespans.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_EQ(golden["rows"].size(), 14);
  for (const auto& row : golden["rows"]) {
    const Outcome outcome = simulate(golden_scenario(row["onoff"] != 0, row["cost_per_column_on_speed1"]),
                                     spec_of.at(row["scheduler"]));
    EXPECT_NEAR(outcome.makespan_s, row["makespan"], 1e-6) << row;
    std::vector<Index> chunks, columns;
    std::vector<double> ends_s;
    for (const WorkerOutcome& worker : outcome.workers) {
      chunks.push_back(worker.chunks);
      columns.push_back(worker.iterations);
      ends_s.push_back(worker.last_end_s);
    }
    EXPECT_THAT(chunks, ElementsAreArray(row["chunks_per_worker"].get<std::vector<Index>>())) << row;
    EXPECT_THAT(columns, ElementsAreArray(row["columns_per_worker"].get<std::vector<Index>>())) << row;
    EXPECT_THAT(ends_s, testing::Pointwise(testing::DoubleNear(1e-6),
                                           row["last_finish_per_worker"].get<std::vector<double>>()))
        << row;
  }
}

/// Workers on the master's host that compute an iteration per second.
Scenario plain_scenario(std::size_t workers, Index iterations) {
  Scenario scenario;
  scenario.loop = LoopCost::uniform(iterations, 1);
  scenario.workers.resize(workers);
  return scenario;
}

std::vector<ChunkRecord> chunks_of(const Scenario& scenario, const std::string& spec) {
  std::vector<ChunkRecord> chunks;
  FarmSimulation simulation(scenario, scheduler(spec, scenario));
  simulation.on_chunk([&](const ChunkRecord& chunk) { chunks.push_back(chunk); });
  simulation.run();
  return chunks;
}

TEST(FarmSimulationTest, AssignsFirstChunksInTheMastersOrder) {
  Scenario scenario = plain_scenario(3, 6);
  scenario.master.near.order_s = 0.125;
  scenario.prefetch = 1;
  std::vector<double> assigned_s(6);
  for (const ChunkRecord& chunk : chunks_of(scenario, "send:1"))
    assigned_s[static_cast<std::size_t>(chunk.chunk.first)] = chunk.assigned_s;
  EXPECT_THAT(assigned_s, testing::ElementsAre(0, 0.125, 0.25, 0.375, 0.5, 0.625));
}

}  // namespace
}  // namespace loadshare::predictor
