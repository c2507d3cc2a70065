#include "models/farm/loop_fit.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "tests/error_of.hpp"

namespace loadshare::predictor {
namespace {

/// Chunks of 10 to 120 ms of processor time on a host of that share, each with a turn for nothing.
RunRecord run_at(double share, double cpu_efficiency) {
  RunRecord run;
  run.shared_input_s = 0.5;
  RankRecord rank;
  rank.capacity = share;
  rank.worker = WorkerId{0};
  run.ranks.push_back(rank);
  for (int i = 1; i <= 12; ++i) {
    const double cpu_s = 0.01 * i;
    ChunkRecord chunk;
    chunk.begun_s = 1;
    chunk.ended_s = 1 + cpu_s / (share * cpu_efficiency) - 0.02;
    chunk.cpu_s = cpu_s;
    run.chunks.push_back(chunk);
  }
  return run;
}

TEST(DeliveredShareTest, IsASlope) {
  const std::vector<RunRecord> runs{run_at(0.1, 0.95), run_at(0.3, 0.9)};
  const auto cpu_efficiency = cpu_efficiencies(runs);
  EXPECT_NEAR(cpu_efficiency.at(0.1), 0.95, 1e-9);
  EXPECT_NEAR(cpu_efficiency.at(0.3), 0.9, 1e-9);
}

TEST(DeliveredShareTest, PassesOverWhatTellsNothing) {
  RunRecord loaded = run_at(0.1, 0.95);
  loaded.load.emplace();
  RunRecord waiting = run_at(0.2, 0.95);
  waiting.shared_input_s = 2;
  RunRecord alike = run_at(0.3, 0.95);
  for (ChunkRecord& chunk : alike.chunks) chunk.cpu_s = 0.01;
  RunRecord whole = run_at(1, 0.95);
  RunRecord masters = run_at(0.4, 0.95);
  masters.ranks[0].role = Role::working_master;
  const std::vector<RunRecord> runs{loaded, waiting, alike, whole, masters};
  EXPECT_THAT(cpu_efficiencies(runs), testing::IsEmpty());
}

/// A run of 1000 iterations of 2 ms, in wide chunks, whose two hosts differ in speed, by a share each.
class MadeRun {
 public:
  MadeRun() {
    run_.app = "loop";
    run_.iterations = 1000;
    run_.makespan_s = 1;
    run_.loop.emplace();
    add_rank("fast", 0.3);
    add_rank("slow", 0.1);
  }

  MadeRun& chunk(std::uint32_t worker, Index size, double cpu_s) {
    ChunkRecord chunk;
    chunk.chunk = {next_, size};
    chunk.worker = WorkerId{worker};
    chunk.cpu_s = cpu_s;
    chunk.begun_s = 0;
    chunk.ended_s = cpu_s / run_.ranks[worker].capacity;
    next_ += size;
    run_.chunks.push_back(chunk);
    return *this;
  }
  RunRecord& record() { return run_; }

 private:
  void add_rank(const std::string& host, double capacity) {
    RankRecord rank;
    rank.host = host;
    rank.capacity = capacity;
    rank.worker = WorkerId{static_cast<std::uint32_t>(run_.ranks.size())};
    rank.stolen_s = 0.1;
    run_.ranks.push_back(rank);
  }
  RunRecord run_;
  Index next_ = 0;
};

/// Short chunks take 1.5 times as long on the fast host, twice as long on the slow one.
RunRecord unequal_run() {
  MadeRun made;
  made.chunk(0, 64, 0.128).chunk(1, 64, 0.128).chunk(0, 4, 0.012).chunk(1, 4, 0.016);
  return made.record();
}

TEST(LoopFitTest, TellsWidthsApartFromShares) {
  const RunRecord run = unequal_run();
  const LoopFit fit = fit_loop({&run, 1});
  EXPECT_NEAR(fit.seconds_per_work, 0.002, 1e-12);
  EXPECT_NEAR(fit.of_share(0.3).factor.at(64), 1, 1e-9);
  EXPECT_NEAR(fit.of_share(0.3).factor.at(4), 1.5, 1e-9);
  EXPECT_NEAR(fit.of_share(0.1).factor.at(4), 2, 1e-9);
  EXPECT_NEAR(fit.of_share(0.2).factor.at(4), 1.5, 1e-9);  // of the nearest share, by its logarithm
  EXPECT_NEAR(fit.of_share(0.3).factor.at(16), 1.25, 1e-9);
  EXPECT_NEAR(fit.of_share(0.3).factor.at(1), 1.5, 1e-9);  // beyond what was seen
  EXPECT_EQ(fit.narrowest, 4);
  EXPECT_EQ(fit.widest, 64);
}

TEST(LoopFitTest, FindsHostsOfOneShareThatAreSlower) {
  MadeRun made;
  made.record().ranks[1].capacity = 0.3;
  made.chunk(0, 10, 0.02).chunk(1, 10, 0.03).chunk(0, 10, 0.02).chunk(1, 10, 0.03);
  const LoopFit fit = fit_loop({&made.record(), 1});
  EXPECT_NEAR(fit.speeds.at("fast") / fit.speeds.at("slow"), 1.5, 1e-9);
  EXPECT_NEAR(fit.seconds_per_work / fit.speeds.at("fast"), 0.002, 1e-9);
  EXPECT_NEAR(fit.scatter.deviation(10), 0, 1e-9);
}

TEST(LoopFitTest, CountsWorkWhereIterationsAreUnequal) {
  MadeRun made;
  made.record().iterations = 4;
  made.record().loop->work = {1, 3, 1, 1};
  made.chunk(0, 1, 0.01).chunk(0, 1, 0.03).chunk(0, 2, 0.02);
  const LoopFit fit = fit_loop({&made.record(), 1});
  EXPECT_NEAR(fit.seconds_per_work, 0.01, 1e-12);
  const LoopCost cost = loop_cost(4, made.record().loop->work, fit.seconds_per_work);
  EXPECT_NEAR(cost.seconds({1, 2}), 0.04, 1e-12);
  EXPECT_NEAR(cost.total_s(), 0.06, 1e-12);
}

TEST(LoopFitTest, TakesWallTimeWhereComputingSleeps) {
  MadeRun made;
  made.record().ranks[0].stolen_s = 0;
  made.record().ranks[0].computing_s = 1;
  made.chunk(0, 10, 0.0001);
  made.record().chunks[0].ended_s = 0.5;
  EXPECT_NEAR(fit_loop({&made.record(), 1}).seconds_per_work, 0.05, 1e-12);
}

TEST(LoopFitTest, KnowsThatWideChunksScatterLess) {
  MadeRun made;
  for (int i = 0; i < 200; ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    made.chunk(0, 1, 0.01 * (1 + 0.2 * sign)).chunk(0, 16, 0.16 * (1 + 0.05 * sign));
  }
  const LoopFit fit = fit_loop({&made.record(), 1});
  EXPECT_NEAR(fit.scatter.deviation(1), 0.2, 0.01);
  EXPECT_NEAR(fit.scatter.deviation(16), 0.05, 0.003);
  EXPECT_NEAR(fit.scatter.deviation(64), 0.025, 0.003);
}

TEST(LoopFitTest, IsNotLedByARunInWhichOthersHadTheMachine) {
  const RunRecord run = unequal_run();
  RunRecord slow = run;
  for (ChunkRecord& chunk : slow.chunks) chunk.cpu_s *= 5;
  const std::vector<RunRecord> runs{run, run, slow};
  EXPECT_NEAR(fit_loop(runs).seconds_per_work, fit_loop({&run, 1}).seconds_per_work, 1e-9);
}

TEST(LoopFitTest, KnowsHowFarRunsAreApart) {
  const RunRecord run = unequal_run();
  RunRecord slower = run;
  for (ChunkRecord& chunk : slower.chunks) chunk.cpu_s *= 1.1;
  const std::vector<RunRecord> both{run, slower};
  EXPECT_NEAR(fit_loop(both).run_deviation, std::log(1.1) / std::sqrt(2) * std::sqrt(1.5) * 6.314 / 1.645,
              1e-9);
  EXPECT_EQ(fit_loop({&run, 1}).run_deviation, 0);
}

TEST(LoopFitTest, RefusesRunsWithoutTimedChunks) {
  RunRecord empty;
  EXPECT_THAT(error_of([&] {
                fit_loop({&empty, 1});
              }),
              testing::HasSubstr("no run tells what an iteration costs"));
}

}  // namespace
}  // namespace loadshare::predictor
