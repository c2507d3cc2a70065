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
    chunk.chunk = {0, i};
    chunk.begun_s = 1;
    chunk.ended_s = 1 + cpu_s / (share * cpu_efficiency) - 0.02;
    chunk.cpu_s = cpu_s;
    run.chunks.push_back(chunk);
  }
  return run;
}

double by_size(const Chunk& chunk) {
  return 0.01 * static_cast<double>(chunk.size);
}

TEST(DeliveredShareTest, IsASlope) {
  const std::vector<RunRecord> runs{run_at(0.1, 0.95), run_at(0.3, 0.9)};
  const auto cpu_efficiency = cpu_efficiencies(runs, by_size);
  EXPECT_NEAR(cpu_efficiency.at(0.1), 0.95, 1e-9);
  EXPECT_NEAR(cpu_efficiency.at(0.3), 0.9, 1e-9);
}

// Every other chunk was stopped once more, and took a little more processor time for it.
TEST(DeliveredShareTest, IsNotLoweredByStops) {
  RunRecord run = run_at(0.1, 0.95);
  const std::vector<ChunkRecord> once = run.chunks;
  for (ChunkRecord chunk : once) {
    chunk.ended_s += 0.04;
    chunk.cpu_s += 0.001;
    run.chunks.push_back(chunk);
  }
  EXPECT_NEAR(cpu_efficiencies({&run, 1}, by_size).at(0.1), 0.95, 1e-9);
}

TEST(DeliveredShareTest, IgnoresUninformativeChunks) {
  RunRecord loaded = run_at(0.1, 0.95);
  loaded.load.emplace();
  RunRecord waiting = run_at(0.2, 0.95);
  waiting.shared_input_s = 2;
  RunRecord alike = run_at(0.3, 0.95);
  for (ChunkRecord& chunk : alike.chunks) chunk.chunk.size = 1;
  RunRecord whole = run_at(1, 0.95);
  RunRecord short_ones = run_at(0.5, 0.95);
  short_ones.ranks[0].limit_period_s = 0.1;
  RunRecord masters = run_at(0.4, 0.95);
  masters.ranks[0].role = Role::working_master;
  const std::vector<RunRecord> runs{loaded, waiting, alike, whole, short_ones, masters};
  EXPECT_THAT(cpu_efficiencies(runs, by_size), testing::IsEmpty());
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

/// A chunk's beginning takes half an iteration on the fast host, one on the slow one, whose iterations take a
/// tenth longer.
RunRecord unequal_run() {
  MadeRun made;
  for (int i = 0; i < 14; ++i) {
    made.chunk(0, 32, 0.065).chunk(1, 32, 0.0726);
    made.chunk(0, 2, 0.005).chunk(1, 2, 0.0066).chunk(0, 1, 0.003).chunk(1, 1, 0.0044);
  }
  return made.record();
}

TEST(LoopFitTest, DistinguishesWidthsFromShares) {
  const RunRecord run = unequal_run();
  const LoopFit fit = fit_loop({&run, 1});
  EXPECT_NEAR(fit.cost.total_s() / fit.speeds.at("fast"), 2, 0.02);
  EXPECT_NEAR(fit.of_share(0.3).factor.at(1), 1.5, 0.01);
  EXPECT_NEAR(fit.of_share(0.3).slowness, 1, 1e-9);
  EXPECT_NEAR(fit.of_share(0.1).factor.at(1), 2, 0.01);
  EXPECT_NEAR(fit.of_share(0.1).slowness * fit.speeds.at("fast") / fit.speeds.at("slow"), 1.1, 0.01);
  EXPECT_NEAR(fit.of_share(0.2).factor.at(1), 1.5, 0.01);  // of the nearest share, by its logarithm
  EXPECT_EQ(fit.narrowest, 1);
  EXPECT_EQ(fit.widest, 32);
  EXPECT_EQ(fit.refutation, "");
}

TEST(LoopFitTest, FindsHostsOfOneShareThatAreSlower) {
  MadeRun made;
  made.record().ranks[1].capacity = 0.3;
  for (int i = 0; i < 50; ++i) made.chunk(0, 10, 0.02).chunk(1, 10, 0.03);
  const LoopFit fit = fit_loop({&made.record(), 1});
  EXPECT_NEAR(fit.speeds.at("fast") / fit.speeds.at("slow"), 1.5, 0.01);
  EXPECT_NEAR(fit.cost.total_s() / fit.speeds.at("fast"), 2, 0.02);
}

TEST(LoopFitTest, CountsWorkForUnequalIterations) {
  MadeRun made;
  made.record().iterations = 400;
  for (int i = 0; i < 400; ++i) made.record().loop->work.push_back(1 + i % 5);
  for (int i = 0; i < 200; ++i) made.chunk(0, 2, 0.01 * (2 + 2 * i % 5 + (2 * i + 1) % 5));
  const LoopFit fit = fit_loop({&made.record(), 1});
  EXPECT_NEAR(fit.cost.seconds({101, 3}), 0.01 * (2 + 3 + 4), 1e-3);
  EXPECT_NEAR(fit.cost.total_s(), 12, 0.05);
}

TEST(LoopFitTest, UsesWallTimeIfBodiesSleep) {
  MadeRun made;
  made.record().ranks[0].stolen_s = 0;
  made.record().ranks[0].computing_s = 1;
  made.chunk(0, 10, 0.0001);
  made.record().chunks[0].ended_s = 0.5;
  const LoopFit fit = fit_loop({&made.record(), 1});
  EXPECT_NEAR(fit.cost.seconds({0, 10}) * fit.of_share(0.3).factor.at(10), 0.5, 1e-6);
  EXPECT_TRUE(fit.waits);
}

/// 20 chunks of 10 ms each: 1 ms of computing, and 3 ms in which other programs had the processor.
RunRecord run_of_waiting(double blocked_s, double stolen_s) {
  MadeRun made;
  made.record().iterations = 200;
  made.record().ranks.pop_back();
  RankRecord& rank = made.record().ranks[0];
  rank.capacity = 1;
  rank.computing_s = 0.02;
  rank.blocked_s = rank.idle_s = blocked_s;
  rank.stolen_s = stolen_s;
  for (int i = 0; i < 20; ++i) {
    made.chunk(0, 10, 0.001);
    made.record().chunks.back().ended_s = 0.01;
  }
  return made.record();
}

TEST(LoopFitTest, CountsWaitingOfBodiesButNotStolenTime) {
  const RunRecord waits = run_of_waiting(0.18, 0), both = run_of_waiting(0.12, 0.06),
                  disturbed = run_of_waiting(0.001, 0.179);
  EXPECT_NEAR(fit_loop({&waits, 1}).cost.total_s(), 0.2, 2e-3);
  EXPECT_NEAR(fit_loop({&waits, 1}).waiting_share, 0.9, 1e-3);
  EXPECT_NEAR(fit_loop({&both, 1}).cost.total_s(), 0.14, 2e-3);
  EXPECT_TRUE(fit_loop({&both, 1}).waits);
  EXPECT_NEAR(fit_loop({&disturbed, 1}).cost.total_s(), 0.02, 1e-3);
  EXPECT_EQ(fit_loop({&disturbed, 1}).waiting_share, 0);
  EXPECT_FALSE(fit_loop({&disturbed, 1}).waits);
}

// Other programs had the processor now and then: iterations that wait equally long cost the same.
TEST(LoopFitTest, FindsStolenTimeInTheLongestChunks) {
  RunRecord run = run_of_waiting(0.18, 0.04);
  run.chunks[3].ended_s += 0.01;
  run.chunks[12].ended_s += 0.03;
  const LoopFit fit = fit_loop({&run, 1});
  EXPECT_NEAR(fit.cost.total_s(), 0.2, 2e-3);
  EXPECT_LT(fit.cost.variation(), 0.02);
}

TEST(LoopFitTest, EstimatesTheUndisturbedTimeOfAChunk) {
  LoopFit fit;
  fit.cost = LoopCost::uniform(100, 0.01);
  fit.factors = {{.share = 0.1, .factor = {1}, .slowness = 2, .cpu_efficiency = 0.8}};
  fit.speeds["slow"] = 0.5;
  RankRecord rank;
  rank.host = "slow";
  rank.capacity = 0.1;
  const double cost_s = 10 * 0.01 * 1.1 * 2 / 0.5;
  EXPECT_NEAR(computing_s(fit, rank, {0, 10}), cost_s / (0.1 * 0.8), 1e-9);
  fit.waits = true;
  EXPECT_NEAR(computing_s(fit, rank, {0, 10}), cost_s, 1e-9);
}

TEST(LoopFitTest, IgnoresARunThatOthersDisturbed) {
  const RunRecord run = unequal_run();
  RunRecord slow = run;
  for (ChunkRecord& chunk : slow.chunks) chunk.cpu_s *= 5;
  const std::vector<RunRecord> runs{run, run, slow};
  EXPECT_NEAR(fit_loop(runs).cost.total_s(), fit_loop({&run, 1}).cost.total_s(), 0.01);
}

TEST(LoopFitTest, MeasuresTheScatterOfRuns) {
  const RunRecord run = unequal_run();
  RunRecord slower = run;
  for (ChunkRecord& chunk : slower.chunks) chunk.cpu_s *= 1.1;
  const std::vector<RunRecord> both{run, slower};
  EXPECT_NEAR(fit_loop(both).run_deviation, std::log(1.1) / std::sqrt(2) * std::sqrt(1.5) * 6.314 / 1.645,
              0.01);
  EXPECT_EQ(fit_loop({&run, 1}).run_deviation, 0.02);
  const std::vector<RunRecord> alike{run, run, run};
  EXPECT_EQ(fit_loop(alike).run_deviation, 0.02);  // another technique's may be farther
}

// First chunks that took half as long again while it came: at the loop's beginning, where no other chunk was.
TEST(LoopFitTest, TrustsChunksDuringTheSharedInputLittle) {
  MadeRun made;
  made.record().shared_input_s = 1;
  made.chunk(0, 100, 0.3);  // 1 s
  for (int i = 0; i < 90; ++i) {
    made.chunk(0, 10, 0.02);
    ChunkRecord& chunk = made.record().chunks.back();
    chunk.begun_s += 1 + i;
    chunk.ended_s += 1 + i;
  }
  EXPECT_NEAR(fit_loop({&made.record(), 1}).cost.seconds({0, 100}), 0.2, 0.01);
  ChunkRecord& first = made.record().chunks.front();
  EXPECT_NEAR(computing_s(fit_loop({&made.record(), 1}), made.record().ranks[0], first.chunk), 0.2 / 0.3,
              0.04);
  first.waited_s = 1;  // it was computed afterwards
  first.ended_s += 1;
  EXPECT_NEAR(fit_loop({&made.record(), 1}).cost.seconds({0, 100}), 0.3, 0.01);
}

TEST(LoopFitTest, IsRefutedByASlowerHalf) {
  MadeRun made;
  made.record().ranks[1] = made.record().ranks[0];
  made.record().ranks[1].worker = WorkerId{1};  // another processor of one host, half as fast
  for (int i = 0; i < 50; ++i) made.chunk(0, 10, 0.02).chunk(1, 10, 0.04);
  EXPECT_EQ(fit_loop({&made.record(), 1}).refutation,
            "half of the chunks took 200 % of the time that the other half predicts");
}

TEST(LoopFitTest, RefusesRunsWithoutTimedChunks) {
  RunRecord empty;
  EXPECT_THAT(error_of([&] {
                fit_loop({&empty, 1});
              }),
              testing::HasSubstr("no run shows what an iteration costs"));
}

}  // namespace
}  // namespace loadshare::predictor
