#include <gtest/gtest.h>

#include "tests/schedulers/played.hpp"

namespace loadshare::test {
namespace {

// sigma / mu = 3: a = 18, b = 144 ln 144 = 715.65; c1 = 0.002 / (0.01 ln 2) = 0.2885, c2 = 0.7233. For the
// first chunk Q = 250, v = 0.2589, d = 1085.5, s = 18 (ln d - ln c2) (1 + 1 / 4) = 164.6 and w = ln(v ln Q) +
// ln b = 6.93: 250 + 2.0 + 82.3 - 218.9 = 115.4. N is what is left if every worker does 116 iterations
// in 1.162 s, and so on.
TEST(Bold, TrustsInWhatIsLeft) {
  Played loop("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  EXPECT_EQ(loop.ask(0), 116);
  EXPECT_EQ(loop.ask(1), 117) << "R = 884, M = N = 1000: 116.3";
  EXPECT_EQ(loop.ask(2), 118) << "R = 767: 117.3";
  EXPECT_EQ(loop.ask(3), 119) << "R = 649: 118.4";
  loop.give_back(0, 116, 0.9);
  EXPECT_EQ(loop.ask(0, 0.9), 60) << "R = 530, M = 884, N = 614.5: 59.4";
  loop.give_back(1, 117, 1.0);
  EXPECT_EQ(loop.ask(1, 1.0), 53) << "R = 470, M = 767, N = 557.4: 52.5";
  loop.give_back(3, 119, 1.5);
  EXPECT_EQ(loop.ask(3, 1.5), 35) << "R = 417, M = 648, N = 388.6: 34.4";
  loop.give_back(0, 60, 1.3);
  EXPECT_EQ(loop.ask(0, 2.2), 31) << "R = 382, M = 588: 30.6";
}

// a = 8, b = 64 ln 64 = 266.17, c1 = 7.21, c2 = 18.1: large chunks save overhead; below d = c2 each gets R /
// P.
TEST(Bold, SparesOverhead) {
  Played loop("bold:mu=0.01,sigma=0.02,overhead=0.05", {1000, 2});
  EXPECT_EQ(loop.ask(0), 409) << "408.4";
  EXPECT_EQ(loop.ask(1), 417) << "416.6";
  loop.give_back(0, 409, 3.5);
  EXPECT_EQ(loop.ask(0, 3.5), 111) << "R = 174, M = 591, N = 245.1: 110.6";
  loop.give_back(1, 417, 4.25);
  EXPECT_EQ(loop.ask(1, 4.25), 52) << "R = 63, M = 174, N = 102.2: 51.1, which is N / 2";
  loop.give_back(0, 111, 2.5);
  EXPECT_EQ(loop.ask(0, 6.0), 6) << "R = 11, all else should be done: 5.5";
  loop.give_back(1, 52, 2.75);
  EXPECT_EQ(loop.ask(1, 7.0), 3) << "2.5";
  loop.give_back(0, 6, 2.0);
  EXPECT_EQ(loop.ask(0, 8.0), 1);
  EXPECT_EQ(loop.ask(1, 8.0), 1);
}

// a = 0.08: 8 a is less than 1, and b = 0.64 ln 0.64 = -0.2856 negative, so w = ln(ln Q).
TEST(Bold, OfLittleScatterGivesNearlyShares) {
  Played loop("bold:mu=0.01,sigma=0.002,overhead=0.05", {1000, 2});
  EXPECT_EQ(loop.ask(0), 495) << "494.8";
  EXPECT_EQ(loop.ask(1), 496) << "495.2";
  loop.give_back(0, 495, 3.5);
  EXPECT_EQ(loop.ask(0, 3.5), 9) << "all there is, of 79.2";
}

TEST(Bold, RoundsDownAsPublishedImplementations) {
  EXPECT_EQ(Played("bold:mu=0.01,sigma=0.03,overhead=0.002,round=down", {1000, 4}).ask(0), 115);
}

TEST(Bold, WithoutDeviationEachGetsItsShare) {
  EXPECT_EQ(sequence("bold:mu=1,sigma=0,overhead=1", {10, 2}), (Sizes{5, 3, 1, 1}));
}

// Held chunks are computed one after the other.
TEST(Bold, AWorkerComputesOneOfItsChunksAtATime) {
  Played one("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  Played two("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  one.ask(0);
  two.ask(0);
  two.scheduler().assigned(WorkerId{0}, {500, 116});
  EXPECT_EQ(one.ask(1, 1.0), two.ask(1, 1.0));
}

TEST(Bold, WhatCameBackIsNobodysWork) {
  Played loop("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  loop.ask(0);
  loop.scheduler().reclaimed(WorkerId{0}, {0, 116});
  Played other("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  EXPECT_EQ(loop.scheduler().next({WorkerId{1}, 0, 1000, 0, 4, 7.0}).size, other.ask(0, 7.0));
}

TEST(Bold, SaysWhatItNeeds) {
  EXPECT_EQ(
      error_of("bold:mu=1,sigma=1"),
      "scheduler bold: overhead is missing (no earlier run of this loop has measured it) give what a chunk "
      "takes beside its iterations, in seconds: overhead=0.001");
  EXPECT_EQ(
      error_of("bold:1,1,0"),
      "scheduler bold: overhead is '0' (it is out of range) give a number from 0.000000001 to 1000000000");
}

}  // namespace
}  // namespace loadshare::test
