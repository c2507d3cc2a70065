#include "models/farm/farm_costs.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loadshare::predictor {
namespace {

/// A run whose master took 0.2 ms for each of its messages' chunks and 2 % of the time for looking; the
/// worker on another host 0.3 ms and 1 %.
RunRecord run_of(Index chunks, double makespan_s) {
  RunRecord run;
  run.options["wait_in_force"] = std::string("nap");
  run.makespan_s = makespan_s;
  RankRecord master;
  master.host = "a";
  master.role = Role::working_master;
  master.chunks = 1000;  // its own need no messages
  master.coordinating_cpu_s = 2e-4 * static_cast<double>(chunks) + 0.02 * makespan_s;
  RankRecord worker;
  worker.host = "b";
  worker.chunks = chunks;
  worker.coordinating_cpu_s = 3e-4 * static_cast<double>(chunks) + 0.01 * makespan_s;
  run.ranks = {master, worker};
  return run;
}

TEST(FarmCostsTest, TellsServingFromLooking) {
  const std::vector<RunRecord> runs{run_of(100, 2), run_of(800, 2), run_of(100, 5)};
  const FarmCosts costs = fit_farm_costs(runs);
  EXPECT_NEAR(costs.report_s + costs.order_s, 2e-4, 1e-9);
  EXPECT_NEAR(costs.polling_share, 0.02, 1e-9);
  EXPECT_NEAR(costs.worker_report_s, 3e-4, 1e-9);
}

TEST(FarmCostsTest, WorkersThatToldNothingOfThemselvesAreAsByDefault) {
  RunRecord run = run_of(100, 2);
  run.ranks[1].coordinating_cpu_s = 0;
  EXPECT_EQ(fit_farm_costs({&run, 1}).worker_report_s, FarmCosts{}.worker_report_s);
}

TEST(FarmCostsTest, OfOneRunAllIsServing) {
  const RunRecord run = run_of(100, 2);
  const FarmCosts costs = fit_farm_costs({&run, 1});
  EXPECT_NEAR(costs.report_s + costs.order_s, 2e-4 + 0.04 / 100, 1e-9);
  EXPECT_EQ(costs.polling_share, 0);
}

TEST(FarmCostsTest, WithoutMessagesTheDefaultsStand) {
  RunRecord run = run_of(100, 2);
  run.ranks[1].host = "a";
  EXPECT_EQ(fit_farm_costs({&run, 1}).report_s, FarmCosts{}.report_s);
  EXPECT_EQ(fit_farm_costs({}).order_s, FarmCosts{}.order_s);
}

TEST(FarmCostsTest, ASpinningMasterTellsNothing) {
  RunRecord run = run_of(100, 2);
  run.options["wait_in_force"] = std::string("spin");
  EXPECT_EQ(fit_farm_costs({&run, 1}).report_s, FarmCosts{}.report_s);
}

constexpr double begins_at = 0.5;  // of a second in which the shared input comes

double all_of_it(double) {
  return 1;
}

/// A run whose workers on another host had `share`, a first chunk each: begun then, of so much processor
/// time.
RunRecord run_of(double share, double taken, const std::vector<std::pair<double, double>>& first_chunks) {
  RunRecord run;
  run.shared_input_s = 1;
  RankRecord master;
  master.role = Role::master;
  master.host = "a";
  run.ranks = {master};
  for (const auto& [begun_s, cpu_s] : first_chunks) {
    const WorkerId worker{static_cast<std::uint32_t>(run.chunks.size())};
    RankRecord rank;
    rank.host = "b";
    rank.worker = worker;
    rank.capacity = share;
    run.ranks.push_back(rank);
    const double from_s = std::max(begun_s, begins_at);
    ChunkRecord chunk;
    chunk.worker = worker;
    chunk.begun_s = begun_s;
    chunk.ended_s = from_s + cpu_s / share + taken * (1 - from_s);
    chunk.cpu_s = cpu_s;
    run.chunks.push_back(chunk);
  }
  return run;
}

TEST(SharedArrivalTest, IsFoundFromFirstChunks) {
  const std::vector<RunRecord> runs{run_of(0.1, 0.3, {{0.1, 0.12}, {0.6, 0.1}, {0.8, 0.05}}),
                                    run_of(0.3, 0.7, {{0.1, 0.3}, {0.7, 0.2}})};
  const SharedArrival arrival = fit_shared_arrival(runs, all_of_it);
  EXPECT_NEAR(arrival.begins_at, begins_at, 1e-9);
  EXPECT_NEAR(arrival.taken_share(0.1), 0.3, 1e-9);
  EXPECT_NEAR(arrival.taken_share(0.29), 0.7, 1e-9);
}

TEST(SharedArrivalTest, KnowsThatMessagesTakeAPartThroughout) {
  const std::vector<RunRecord> runs{run_of(0.08, 0.3, {{0.1, 0.12}, {0.6, 0.1}, {0.8, 0.05}})};
  std::vector<RunRecord> granted = runs;
  for (RankRecord& rank : granted[0].ranks) rank.capacity = 0.1;
  EXPECT_NEAR(fit_shared_arrival(granted, [](double) { return 0.8; }).taken_share(0.1), 0.3, 1e-9);
}

TEST(SharedArrivalTest, DelaysNobodyWhereNothingIsKnown) {
  EXPECT_EQ(fit_shared_arrival({}, all_of_it).begins_at, 0);
  EXPECT_EQ(fit_shared_arrival({}, all_of_it).taken_share(0.1), 0);
}

TEST(SharedArrivalTest, PassesOverWhatTellsNothing) {
  RunRecord loaded = run_of(0.1, 0.3, {{0.1, 0.08}});
  loaded.load.emplace();
  RunRecord of_the_masters_host = run_of(0.1, 0.3, {{0.1, 0.08}});
  of_the_masters_host.ranks[1].host = "a";
  const RunRecord ends_with_the_input = run_of(0.1, 0.3, {{0.1, 0.09}});
  RunRecord begins_behind_it = run_of(0.1, 0.3, {{1.5, 0.08}});
  const std::vector<RunRecord> runs{loaded, of_the_masters_host, ends_with_the_input, begins_behind_it};
  EXPECT_TRUE(fit_shared_arrival(runs, all_of_it).taken_shares.empty());
}

}  // namespace
}  // namespace loadshare::predictor
