#include "schedulers/fsc.hpp"

#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// sqrt(2) 1000 0.013716 / (0.1 4 sqrt(ln 4)) = 41.19, of which the power 2/3 is 11.93.
TEST(Fsc, IsKruskalAndWeisssOptimum) {
  EXPECT_EQ(fsc_size({1000, 4, 0.013716, 0.1}, Rounding::up), 12);
  EXPECT_EQ(fsc_size({1000, 4, 0.013716, 0.1}, Rounding::down), 11);
}

TEST(Fsc, OneWorkerGetsTheWholeLoop) {
  EXPECT_EQ(sequence("fsc:overhead=0.1,sigma=0.1", {7, 1}), (Sizes{7}));
}

TEST(Fsc, WithoutDeviationEachWorkerGetsItsShare) {
  EXPECT_EQ(sequence("fsc:overhead=0.1,sigma=0", {10, 4}), (Sizes{3, 3, 3, 1}));
}

TEST(Fsc, WhereChunksCostNothingTheyAreSingleIterations) {
  EXPECT_EQ(fsc_size({1000, 4, 0, 0.1}, Rounding::up), 1);
}

TEST(Fsc, TakesWhatWasMeasuredWhenTheLoopLastRan) {
  const LoopFacts loop{.iterations = 1000,
                       .workers = 4,
                       .times = LoopTimes{.mean_s = 7, .deviation_s = 0.1, .overhead_s = 0.013716}};
  EXPECT_EQ(sequence("fsc", loop).front(), 12);
  EXPECT_EQ(sequence("fsc:sigma=0.2", loop).front(), 8) << "what is given counts";
}

TEST(Fsc, SaysWhatItNeeds) {
  EXPECT_EQ(
      error_of("fsc"),
      "scheduler fsc: overhead is missing (no earlier run of this loop has measured it); give what a chunk "
      "takes beside its iterations, in seconds: overhead=0.001");
  EXPECT_EQ(
      error_of("fsc:overhead=0.1"),
      "scheduler fsc: sigma is missing (no earlier run of this loop has measured it); give the standard "
      "deviation of an iteration's time, in seconds: sigma=0.001");
  EXPECT_EQ(error_of("fsc:-1"),
            "scheduler fsc: overhead is '-1' (it is out of range); give a number from 0 to 1000000000");
}

// 250 ln 2 / ln 250 = 31.4.
TEST(Mfsc, HasAboutAsManyChunksAsFactoring) {
  EXPECT_EQ(mfsc_size(1000, 4, Rounding::down), 31);
  EXPECT_EQ(mfsc_size(1000, 4, Rounding::up), 32);
}

TEST(Mfsc, OfASmallShareIsOne) {
  EXPECT_EQ(sequence("mfsc", {3, 4}), (Sizes{1, 1, 1}));
  EXPECT_EQ(sequence("mfsc", {4, 4}), (Sizes{1, 1, 1, 1}));
  EXPECT_EQ(mfsc_size(0, 4, Rounding::down), 1);
  EXPECT_EQ(mfsc_size(2, 1, Rounding::down), 2) << "2 ln 2 / ln 2";
}

}  // namespace
}  // namespace loadshare::test
