#include "apps/loadshare/calibrate/chunk_rates.hpp"

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
  const auto all = measure_chunks(65, 5, 60, 1);
  ASSERT_EQ(all.size(), 12u);
  EXPECT_EQ(all.back().columns, 64);
  for (const ChunkTimes& times : all) {
    EXPECT_EQ(times.seconds.size(), 5u);
    for (const double seconds : times.seconds) EXPECT_GT(seconds, 0);
  }
}

TEST(ChunkRates, KeepToTheirBudget) {
  for (const ChunkTimes& times : measure_chunks(65, 1'000'000'000, 0.01, 1))
    EXPECT_GE(times.seconds.size(), 1u);
}

}  // namespace
}  // namespace loadshare::tool
