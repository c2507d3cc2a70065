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

TEST(FarmCostsTest, DistinguishesServingFromPolling) {
  const std::vector<RunRecord> runs{run_of(100, 2), run_of(800, 2), run_of(100, 5)};
  const FarmCosts costs = fit_farm_costs(runs);
  EXPECT_NEAR(costs.report_s + costs.order_s, 2e-4, 1e-9);
  EXPECT_NEAR(costs.polling_share, 0.02, 1e-9);
  EXPECT_NEAR(costs.worker_report_s, 3e-4, 1e-9);
}

TEST(FarmCostsTest, WorkersWithoutReportsHaveDefaultCosts) {
  RunRecord run = run_of(100, 2);
  run.ranks[1].coordinating_cpu_s = 0;
  EXPECT_EQ(fit_farm_costs({&run, 1}).worker_report_s, FarmCosts{}.worker_report_s);
}

TEST(FarmCostsTest, OneRunCountsEverythingAsServing) {
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

TEST(FarmCostsTest, ASpinningMasterGivesNoCosts) {
  RunRecord run = run_of(100, 2);
  run.options["wait_in_force"] = std::string("spin");
  EXPECT_EQ(fit_farm_costs({&run, 1}).report_s, FarmCosts{}.report_s);
}

}  // namespace
}  // namespace loadshare::predictor
