#include "runtime/farm/width_cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/farm/farm.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare::test {
namespace {

/// A loop whose chunks have a beginning, which costs as much as a hundred iterations; `result[i] = 2 i`.
class Beginnings final : public Workload {
 public:
  Beginnings(Farm& farm, Index iterations, int steps_of_beginning)
      : iterations_(iterations), steps_of_beginning_(steps_of_beginning) {
    results_ = farm.resident<Index>(static_cast<std::size_t>(iterations));
  }

  Index iterations() const override { return iterations_; }
  std::size_t output_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size) * sizeof(Index);
  }
  std::span<std::byte> output(Chunk chunk) override {
    return std::as_writable_bytes(
        results_.subspan(static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.size)));
  }
  bool uses_processor() const override { return keeps_busy; }
  bool is_repeatable() const override { return may_repeat; }
  void compute(Work& work) override {
    computed += work.chunk().size;
    std::this_thread::sleep_for(pause);
    if (throws_a_number) throw 1;
    spend(steps_of_beginning_);
    auto* result = reinterpret_cast<Index*>(work.output().data());
    for (Index i = work.chunk().first; i < work.chunk().end(); ++i) {
      spend(steps_of_iteration);
      *result++ = 2 * i;
    }
  }

  bool is_right() const {
    for (Index i = 0; i < iterations_; ++i)
      if (results_[static_cast<std::size_t>(i)] != 2 * i) return false;
    return true;
  }

  bool keeps_busy = true, may_repeat = true, throws_a_number = false;
  std::chrono::milliseconds pause{0};
  std::atomic<Index> computed = 0;
  static constexpr int steps_of_iteration = 300;

 private:
  /// Steps that each need the one before, in registers: a counter in memory is several times faster where a
  /// processor finds its way round it, which depends on what ran before.
  static void spend(int steps) {
    auto state = static_cast<std::uint64_t>(steps);
    for (int i = 0; i < steps; ++i) state = state * 6364136223846793005U + 1442695040888963407U;
    volatile std::uint64_t kept = state;
    (void)kept;
  }

  Index iterations_;
  int steps_of_beginning_;
  std::span<Index> results_;
};

constexpr int dear = 100 * Beginnings::steps_of_iteration;

std::optional<WidthCost> cost_by(const std::string& scheduler, int beginning, bool keeps_busy = true) {
  Farm farm({.scheduler = scheduler, .workers = 2});
  Beginnings loop(farm, 1000, beginning);
  loop.keeps_busy = keeps_busy;
  RunControls controls;
  controls.measures_width_cost = true;
  const RunRecord record = farm.run(loop, controls);
  EXPECT_TRUE(loop.is_right());
  return record.width_cost;
}

TEST(WidthCost, TellsWhatBeginningsCost) {
  const auto cost = cost_by("send:2", dear);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->narrow, 2);
  EXPECT_EQ(cost->wide % 2, 0);
  EXPECT_GE(cost->wide, 4);
  EXPECT_LE(cost->wide, 124);  // each worker has four such chunks
  // 102 steps an iteration pair beside 2, and 100 and the wide chunk's iterations beside these.
  const double wide = static_cast<double>(cost->wide);
  const double expected = 51 / ((100 + wide) / wide);
  EXPECT_GT(cost->ratio, expected / 3);
  EXPECT_LT(cost->ratio, expected * 3);
}

TEST(WidthCost, WhereChunksHaveNoBeginningItIsAboutOne) {
  const auto cost = cost_by("send:10", 0);
  ASSERT_TRUE(cost);
  EXPECT_GT(cost->ratio, 0.5);
  EXPECT_LT(cost->ratio, 2);
}

TEST(WidthCost, IsNotMeasuredWhereItCannotBeKnown) {
  EXPECT_FALSE(cost_by("send:100", dear));       // wide enough for two workers
  EXPECT_FALSE(cost_by("gss", dear));            // ditto
  EXPECT_FALSE(cost_by("send:2", dear, false));  // computing sleeps
  Farm farm({.scheduler = "send:2", .workers = 2});
  Beginnings loop(farm, 1000, dear);
  EXPECT_FALSE(farm.run(loop).width_cost);  // nobody asked
}

TEST(WidthCost, IterationsOfSecondsAreNotComputedAgain) {
  Farm farm({.scheduler = "send:1", .workers = 2});
  Beginnings loop(farm, 1000, 0);
  RunRecord record = farm.run(loop);
  for (ChunkRecord& chunk : record.chunks) chunk.cpu_s = 1;
  EXPECT_FALSE(measure_width_cost(loop, WorkerId{0}, record));
}

// Wall time passes, but hardly any processor time.
TEST(WidthCost, ComputingAgainIsBoundedByTheClock) {
  Farm farm({.scheduler = "send:1", .workers = 2});
  Beginnings loop(farm, 400, 0);
  RunRecord record = farm.run(loop);
  loop.pause = std::chrono::milliseconds(5);
  const double begun_s = monotonic_s();
  measure_width_cost(loop, WorkerId{0}, record);
  EXPECT_LT(monotonic_s() - begun_s, 0.5);  // twice a tenth of a second, and a chunk
}

TEST(WidthCost, IsLeftOutWhateverComputingAgainThrows) {
  Farm farm({.scheduler = "send:2", .workers = 2});
  Beginnings loop(farm, 1000, dear);
  const RunRecord record = farm.run(loop);
  loop.throws_a_number = true;
  EXPECT_FALSE(measure_width_cost(loop, WorkerId{0}, record));
  EXPECT_GT(loop.computed, 1000);
}

TEST(WidthCost, NothingIsComputedAgainOfALoopThatDoesNotAllowIt) {
  for (const char* scheduler : {"send:1", "send:2", "factoring:16"}) {
    Farm farm({.scheduler = scheduler, .workers = 2});
    Beginnings loop(farm, 1000, dear);
    loop.may_repeat = false;
    RunControls controls;
    controls.measures_width_cost = true;
    const RunRecord record = farm.run(loop, controls);
    EXPECT_EQ(loop.computed, 1000) << scheduler;
    EXPECT_TRUE(loop.is_right());
    if (scheduler != std::string("factoring:16")) {
      EXPECT_FALSE(record.width_cost) << "all of a width";
    }
  }
}

/// Consecutive chunks whose beginning costs as much as some iterations.
RunRecord made_run(const std::vector<Index>& widths, double beginning) {
  RunRecord record;
  record.workers = 2;
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    RankRecord rank;
    rank.host = "host";
    rank.worker = WorkerId{worker};
    rank.computing_s = 1;
    record.ranks.push_back(rank);
  }
  for (const Index width : widths) {
    ChunkRecord chunk;
    chunk.chunk = {record.iterations, width};
    chunk.worker = WorkerId{static_cast<std::uint32_t>(record.chunks.size() % 2)};
    chunk.cpu_s = 1e-3 * (static_cast<double>(width) + beginning);
    record.chunks.push_back(chunk);
    record.iterations += width;
  }
  return record;
}

/// As `factoring` cuts them, and most iterations in the narrowest.
std::vector<Index> halves() {
  std::vector<Index> widths{16, 16, 8, 8, 4, 4, 2, 2};
  widths.resize(80, 1);
  return widths;
}

TEST(WidthCostOfRun, IsEstimatedFromNeighboursOfBothWidths) {
  const auto cost = width_cost_of(made_run(halves(), 3));
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->narrow, 1);
  EXPECT_EQ(cost->wide, 16);
  EXPECT_NEAR(cost->ratio, (1 + 3.0) / (1 + 3.0 / 16), 1e-9);
  EXPECT_EQ(cost->source, WidthCost::Source::run);
  EXPECT_NEAR(width_cost_of(made_run(halves(), 0))->ratio, 1, 1e-9);
}

// Iterations at the loop's end, in its narrow chunks, cost twice as much as at its beginning.
TEST(WidthCostOfRun, IsHardlyMovedByIterationsThatCostEverMore) {
  RunRecord record = made_run(halves(), 0);
  for (ChunkRecord& chunk : record.chunks)
    chunk.cpu_s *= 1 + static_cast<double>(chunk.chunk.first) / static_cast<double>(record.iterations);
  EXPECT_LT(width_cost_of(record)->ratio, 1.4);
  EXPECT_GT(width_cost_of(record)->ratio, 0.7);
}

TEST(WidthCostOfRun, IsNothingIfTheRunDoesNotShowIt) {
  EXPECT_FALSE(width_cost_of({}));
  EXPECT_FALSE(width_cost_of(made_run(std::vector<Index>(80, 1), 3)));         // all alike
  EXPECT_FALSE(width_cost_of(made_run({16, 16, 8, 8, 4, 4, 2, 2, 1, 1}, 3)));  // most iterations in wide ones
  EXPECT_FALSE(width_cost_of(made_run({16, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 3)));
  RunRecord waiting = made_run(halves(), 3);
  waiting.ranks[0].blocked_s = waiting.ranks[0].idle_s = 2;
  EXPECT_FALSE(width_cost_of(waiting)) << "processor time is not what iterations cost";
  RunRecord unequal = made_run(halves(), 3);
  unequal.ranks[0].host = "faster";
  for (ChunkRecord& chunk : unequal.chunks) chunk.worker = WorkerId{chunk.chunk.size % 3 == 1 ? 0u : 1u};
  EXPECT_FALSE(width_cost_of(unequal)) << "of one host they are of few widths";
}

TEST(TypicalWidth, IsThatOfTheMiddleIteration) {
  RunRecord record;
  EXPECT_EQ(typical_width(record), 0);
  for (const Index size : {1, 1, 1, 1, 8, 3}) record.chunks.push_back({.chunk = {0, size}});
  EXPECT_EQ(typical_width(record), 8);
  record.chunks.push_back({.chunk = {0, 3}});
  record.chunks.push_back({.chunk = {0, 3}});
  EXPECT_EQ(typical_width(record), 3);
}

}  // namespace
}  // namespace loadshare::test
