#include "schedulers/iteration_spread.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(IterationSpread, IsZeroWithoutChunks) {
  const IterationSpread spread;
  EXPECT_EQ(spread.chunks(), 0);
  EXPECT_EQ(spread.mean_s(), 0);
  EXPECT_EQ(spread.variance(), 0);
}

TEST(IterationSpread, OneChunkHasNoVariance) {
  IterationSpread spread;
  spread.add(4, 2.0);
  EXPECT_EQ(spread.mean_s(), 0.5);
  EXPECT_EQ(spread.variance(), 0);
}

// Chunks of 3 and 1 at 0.2 and 0.6 s an iteration: mean 1.2 / 4 = 0.3, 3 0.1^2 + 1 0.3^2 = 0.12.
TEST(IterationSpread, WeighsChunksByTheirIterations) {
  IterationSpread spread;
  spread.add(3, 0.6);
  spread.add(1, 0.6);
  EXPECT_DOUBLE_EQ(spread.mean_s(), 0.3);
  EXPECT_DOUBLE_EQ(spread.variance(), 0.12);
}

TEST(IterationSpread, KeepsASmallVarianceAtALargeMean) {
  IterationSpread spread;
  for (int i = 0; i < 1000; ++i) spread.add(1, 1e6 + (i % 2 == 0 ? 1e-3 : -1e-3));
  EXPECT_NEAR(spread.variance(), 1e-6, 1e-8);
}

}  // namespace
}  // namespace loadshare
