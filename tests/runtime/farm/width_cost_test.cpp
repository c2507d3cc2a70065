#include "runtime/farm/width_cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/farm/farm.hpp"

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
  void compute(Work& work) override {
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

  bool keeps_busy = true;
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
