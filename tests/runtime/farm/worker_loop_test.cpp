#include "runtime/farm/worker_loop.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(Sampler, TimesEveryChunkOfTenMicrosecondsAndMore) {
  Sampler sampler;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(sampler.wants(1));
    EXPECT_TRUE(sampler.wants_cpu());
    sampler.timed(1, 10e-6);
  }
  EXPECT_FALSE(sampler.has_thinned());
}

TEST(Sampler, TimesOneInSixtyFourOfEmptyChunks) {
  Sampler sampler;
  int timed = 0;
  for (int i = 0; i < 6402; ++i)
    if (sampler.wants(1)) {
      sampler.timed(1, 0.05e-6);
      ++timed;
    }
  EXPECT_TRUE(sampler.has_thinned());
  EXPECT_EQ(timed, 2 + 100);
}

TEST(Sampler, OneShortChunkAmongLongOnesThinsNothing) {
  Sampler sampler;
  sampler.timed(5, 1e-3);
  sampler.timed(1, 1e-6);
  EXPECT_TRUE(sampler.wants(1));
}

TEST(Sampler, HasThinnedNothingBeforeItPassesOverAChunk) {
  Sampler sampler;
  for (Index size = 1; size <= 3; ++size) {
    EXPECT_TRUE(sampler.wants(size));
    sampler.timed(size, 1e-6);
    EXPECT_FALSE(sampler.has_thinned());
  }
  EXPECT_FALSE(sampler.wants(3));
  EXPECT_TRUE(sampler.has_thinned());
}

TEST(Sampler, NoticesChunksThatGrow) {
  Sampler sampler;
  for (int i = 0; i < 3; ++i) sampler.timed(1, 1e-6);
  EXPECT_FALSE(sampler.wants(1));
  EXPECT_TRUE(sampler.wants(2));
}

TEST(Sampler, TimesEverythingAgainOnceChunksAreLong) {
  Sampler sampler;
  for (int i = 0; i < 3; ++i) sampler.timed(1, 1e-6);
  sampler.timed(1, 1e-3);
  EXPECT_TRUE(sampler.wants(1));
}

}  // namespace
}  // namespace loadshare
