#include "schedulers/adaptive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

constexpr WorkerId slow{0}, fast{1}, third{2};
constexpr Index plenty = 1'000'000;

void report(Adaptive& scheduler, WorkerId worker, Index size, double response_s) {
  scheduler.completed({worker, {0, size}, response_s, response_s, {}});
}

TEST(Adaptive, FirstChunkIsC) {
  EXPECT_EQ(sequence("adaptive", {10, 4}), (Sizes{3, 3, 3, 1}));
  EXPECT_EQ(sequence("adaptive:5,1,9", {10, 4}), (Sizes{5, 5}));
}

// The paper's example: at 5 columns a unit of time where the mean is 10, the next task is C/2.
TEST(Adaptive, HalfTheMeanRateGetsHalfOfC) {
  Adaptive scheduler({.size = 30, .min = 1, .max = 100});
  report(scheduler, slow, 30, 6.0);  // 5 per second
  report(scheduler, fast, 30, 2.0);  // 15 per second
  EXPECT_EQ(test::next_size(scheduler, slow, plenty), 15);
  EXPECT_EQ(test::next_size(scheduler, fast, plenty), 45);
  EXPECT_EQ(test::next_size(scheduler, third, plenty), 30) << "its rate is unknown";
  EXPECT_EQ(test::next_size(scheduler, fast, 7), 7);
}

TEST(Adaptive, RoundsToNearest) {
  Adaptive scheduler({.size = 3, .min = 1, .max = 9});
  report(scheduler, slow, 3, 3.0);  // 1 a second
  report(scheduler, fast, 3, 1.0);  // 3 a second: sizes 1.5 and 4.5, halves away from zero
  EXPECT_EQ(test::next_size(scheduler, slow, plenty), 2);
  EXPECT_EQ(test::next_size(scheduler, fast, plenty), 5);
}

TEST(Adaptive, StaysWithinBounds) {
  Adaptive scheduler({.size = 10, .min = 4, .max = 12});
  report(scheduler, slow, 10, 100.0);
  report(scheduler, fast, 10, 1.0);
  EXPECT_EQ(test::next_size(scheduler, slow, plenty), 4);
  EXPECT_EQ(test::next_size(scheduler, fast, plenty), 12);
}

TEST(Adaptive, BeginsAgainWithTheRatesThatItLearned) {
  Adaptive before({.size = 30, .min = 1, .max = 100});
  EXPECT_TRUE(before.learned().rates.empty());
  report(before, third, 30, 3.0);  // 10 a second
  report(before, slow, 30, 6.0);
  EXPECT_EQ(before.learned().rates, (std::vector<double>{5, 0, 10}));
  Adaptive scheduler({.size = 30, .min = 1, .max = 100}, before.learned());
  EXPECT_EQ(test::next_size(scheduler, slow, plenty), 20);
  EXPECT_EQ(test::next_size(scheduler, third, plenty), 40);
  EXPECT_EQ(test::next_size(scheduler, fast, plenty), 30) << "its rate is unknown";
  report(scheduler, slow, 20, 0.5);  // 40 a second from now on, the mean is 25
  EXPECT_EQ(test::next_size(scheduler, slow, plenty), 48);
  EXPECT_EQ(test::next_size(scheduler, third, plenty), 12);
}

TEST(Adaptive, IgnoresImpossibleRates) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double most = std::numeric_limits<double>::max();
  Adaptive scheduler({.size = 10, .min = 1, .max = 100},
                     {{-1.0, 0.0, infinity, most, std::nan(""), 5.0, 15.0}});
  for (std::uint32_t worker = 0; worker < 5; ++worker)
    EXPECT_EQ(test::next_size(scheduler, WorkerId{worker}, plenty), 10) << worker;
  EXPECT_EQ(test::next_size(scheduler, WorkerId{5}, plenty), 5);
  EXPECT_EQ(test::next_size(scheduler, WorkerId{6}, plenty), 15);
}

TEST(Adaptive, OnlyTheLatestRateCounts) {
  Adaptive scheduler({.size = 10, .min = 1, .max = 100});
  report(scheduler, slow, 10, 100.0);
  report(scheduler, slow, 10, 1.0);
  report(scheduler, fast, 10, 1.0);
  EXPECT_EQ(test::next_size(scheduler, slow, plenty), 10);
}

TEST(Adaptive, IgnoresImpossibleTimes) {
  Adaptive scheduler({.size = 10, .min = 1, .max = 100});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double response_s : {0.0, -1.0, infinity, std::nan("")}) report(scheduler, slow, 10, response_s);
  EXPECT_EQ(test::next_size(scheduler, slow, plenty), 10);
  report(scheduler, slow, 10, 1.0);
  report(scheduler, fast, 10, 0.0);
  EXPECT_EQ(test::next_size(scheduler, slow, plenty), 10) << "the rate of fast is unknown";
}

// An impossibly fast answer must have no effect once it is replaced: a plain running sum would have lost the
// others.
TEST(Adaptive, RunningSumDoesNotDrift) {
  Adaptive scheduler({.size = 1'000'000, .min = 1, .max = 10'000'000});
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-12, 3);
  for (int i = 0; i < 100'000; ++i)
    report(scheduler, WorkerId{static_cast<std::uint32_t>(i % 3)}, plenty, std::pow(10, exponent(random)));
  report(scheduler, slow, 10, 20.0);
  report(scheduler, fast, 10, 5.0);
  report(scheduler, third, 10, 20.0);  // rates 0.5, 2, 0.5: mean 1
  EXPECT_EQ(test::next_size(scheduler, slow, 10 * plenty), 500'000);
  EXPECT_EQ(test::next_size(scheduler, fast, 10 * plenty), 2'000'000);
}

TEST(Adaptive, DefaultsGiveWayToGivenValues) {
  EXPECT_EQ(sequence("adaptive:20", {40, 1}), (Sizes{20, 20}));
  EXPECT_EQ(sequence("adaptive:min=5", {10, 1}), (Sizes{5, 5}));
  EXPECT_EQ(sequence("adaptive:max=2", {4, 1}), (Sizes{2, 2}));
}

TEST(Adaptive, RejectsContradictions) {
  EXPECT_EQ(
      error_of("adaptive:3,9,1"),
      "scheduler adaptive: min is '9' (it is more than max, which is 1); give a smaller min or a larger max");
  EXPECT_NE(error_of("adaptive:3,4,9"), "");
  EXPECT_NE(error_of("adaptive:10,1,9"), "");
}

}  // namespace
}  // namespace loadshare::test
