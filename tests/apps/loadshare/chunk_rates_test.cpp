#include "apps/loadshare/chunk_rates.hpp"

#include <gmock/gmock.h>

namespace loadshare::tool {
namespace {

using testing::ElementsAre;

TEST(ChunkWidths, AreTwoAnOctaveWithinTheMatrix) {
  EXPECT_THAT(chunk_widths(1), ElementsAre(1));
  EXPECT_THAT(chunk_widths(13), ElementsAre(1, 2, 3, 4, 6, 8, 12));
  EXPECT_EQ(chunk_widths(720).back(), 384);
}

TEST(ChunkRates, HaveEveryWidthAsOftenAsAsked) {
  const auto all = measure_chunks(65, {.repetitions = 5, .budget_s = 60});
  ASSERT_EQ(all.size(), 12u);
  EXPECT_EQ(all.back().columns, 64);
  for (const ChunkTimes& times : all) {
    EXPECT_EQ(times.seconds.size(), 5u);
    for (const double seconds : times.seconds) EXPECT_GT(seconds, 0);
  }
}

/// Chunks that take a tenth of a second a column; what they took together.
struct SlowChunks {
  std::vector<ChunkTimes> time(const ChunkPlan& plan) {
    return time_chunks(
        chunk_widths(384),
        [this](Index columns) {
          spent_s += 0.1 * static_cast<double>(columns);
          return 0.1 * static_cast<double>(columns);
        },
        plan);
  }

  double spent_s = 0;
};

TEST(ChunkRates, LeaveOutWidthsThereIsNoTimeFor) {
  SlowChunks chunks;
  const auto all = chunks.time({.budget_s = 5});
  EXPECT_EQ(all.back().columns, 8) << "1 to 8 columns take 2.4 s, with 12 more 3.6";
  for (const ChunkTimes& times : all) EXPECT_EQ(times.seconds.size(), 1u);
  EXPECT_NEAR(chunks.spent_s, 4.8, 1e-9);
}

TEST(ChunkRates, BeginNoRoundThatWouldTakeTooLong) {
  SlowChunks chunks;
  const auto all = chunks.time({.budget_s = 382});
  EXPECT_EQ(all.back().columns, 384);
  EXPECT_EQ(all.front().seconds.size(), 1u) << "a round takes 127.6 s, one more would end at 382.8";
  EXPECT_NEAR(chunks.spent_s, 255.2, 1e-9);
}

TEST(ChunkRates, HaveTheNarrowestHoweverLongItTakes) {
  EXPECT_EQ(SlowChunks().time({.budget_s = 0.01}).size(), 1u);
}

}  // namespace
}  // namespace loadshare::tool
