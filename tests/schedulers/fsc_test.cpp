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

TEST(Fsc, WithoutOverheadChunksAreSingleIterations) {
  EXPECT_EQ(fsc_size({1000, 4, 0, 0.1}, Rounding::up), 1);
}

TEST(Fsc, UsesTimesOfTheLoopsLastRun) {
  const LoopFacts loop{.iterations = 1000,
                       .workers = 4,
                       .times = LoopTimes{.mean_s = 7, .deviation_s = 0.1, .overhead_s = 0.013716}};
  EXPECT_EQ(sequence("fsc", loop).front(), 12);
  EXPECT_EQ(sequence("fsc:sigma=0.2", loop).front(), 8) << "what is given counts";
}

TEST(Fsc, AMissingParameterIsNamed) {
  EXPECT_EQ(error_of("fsc"),
            "scheduler fsc: overhead is missing (no earlier run of this loop has measured it); give the time "
            "of a chunk "
            "besides computing, in seconds: overhead=0.001");
  EXPECT_EQ(
      error_of("fsc:overhead=0.1"),
      "scheduler fsc: sigma is missing (no earlier run of this loop has measured it); give the standard "
      "deviation of an iteration's time, in seconds: sigma=0.001");
  EXPECT_EQ(error_of("fsc:-1"),
            "scheduler fsc: overhead is '-1' (it is out of range); give a number from 0 to 1000000000");
}

// 250 ln 2 / ln 250 = 31.39; 125 ln 2 / ln 125 = 17.95.
TEST(Mfsc, HasAboutAsManyChunksAsFactoring) {
  EXPECT_EQ(sequence("mfsc", {1000, 4}), read_sizes("31x32 8"));
  EXPECT_EQ(sequence("mfsc", {1000, 8}), read_sizes("18x55 10"));
}

TEST(Mfsc, RoundsUpFrom45HundredthsOnAsPublishedLibrariesDo) {
  EXPECT_EQ(mfsc_size(700, 100), 3) << "7 ln 2 / ln 7 = 2.493";
  EXPECT_EQ(mfsc_size(600, 100), 2) << "6 ln 2 / ln 6 = 2.321";
  EXPECT_EQ(mfsc_size(100'000, 16), 496) << "6250 ln 2 / ln 6250 = 495.65";
  EXPECT_EQ(mfsc_size(1'000'000'000, 1), 33'447'777) << "1e9 ln 2 / ln 1e9 = 33447777.30";
}

TEST(Mfsc, RoundsAsAsked) {
  EXPECT_EQ(sequence("mfsc:round=down", {1000, 8}).front(), 17);
  EXPECT_EQ(sequence("mfsc:round=up", {1000, 8}).front(), 18);
  EXPECT_EQ(mfsc_size(1000, 4, Rounding::up), 32);
}

TEST(Mfsc, ASmallShareGivesSizesOfOneOrTwo) {
  EXPECT_EQ(sequence("mfsc", {3, 4}), (Sizes{1, 1, 1}));
  EXPECT_EQ(sequence("mfsc", {4, 4}), (Sizes{1, 1, 1, 1}));
  EXPECT_EQ(mfsc_size(0, 4), 1);
  EXPECT_EQ(mfsc_size(2, 1), 2) << "2 ln 2 / ln 2";
  EXPECT_EQ(mfsc_size(3, 1), 2) << "3 ln 2 / ln 3 = 1.89";
  EXPECT_EQ(mfsc_size(4, 1), 2);
}

}  // namespace
}  // namespace loadshare::test
