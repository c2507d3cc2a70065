#include <gtest/gtest.h>

#include "tests/schedulers/played.hpp"

namespace loadshare::test {
namespace {

TEST(Wf, UsesTheWeightsOfTheLoopsWorkers) {
  LoopFacts facts{160, 2};
  facts.weights = {3, 1};
  Played loop("wf", facts);
  EXPECT_EQ(loop.ask(0), 60);  // of the first half
  EXPECT_EQ(loop.ask(1), 20);
}

TEST(Wf, WithEqualWeightsIsFac2) {
  EXPECT_EQ(sequence("wf", {1000, 4}), sequence("fac2", {1000, 4}));
  EXPECT_EQ(sequence("wf:weights=0.1:0.1:0.1", {1000, 3}), sequence("fac2", {1000, 3}));
  EXPECT_EQ(sequence("wf", {7, 1}), sequence("fac2", {7, 1}));
}

// Weights 0.5, 0.8, 2.3 of mean 1.2: of 1000 / 6 = 166.7 each gets 69.4, 111.1, 319.4; then of 499 / 6 = 83.2
// each.
TEST(Wf, GivesEachWorkerItsWeightOfAHalf) {
  Played loop("wf:weights=0.5:0.8:2.3", {1000, 3});
  EXPECT_EQ(loop.ask(0), 70);
  EXPECT_EQ(loop.ask(1), 112);
  EXPECT_EQ(loop.ask(2), 320);
  EXPECT_EQ(loop.ask(2), 160) << "498 / 6 2.3 / 1.2 = 159.1";
  EXPECT_EQ(loop.ask(2), 160) << "the same group";
  EXPECT_EQ(loop.ask(0), 35) << "34.6";
  EXPECT_EQ(loop.ask(1), 16) << "143 / 6 0.8 / 1.2 = 15.9";
}

TEST(Wf, TakesTheSpeedsOfHosts) {
  Played loop("wf:round=down", {1000, 2});
  loop.scheduler().joined(WorkerId{0}, {.weight = 3});
  loop.scheduler().joined(WorkerId{1}, {.weight = 1});
  EXPECT_EQ(loop.ask(0), 375);
  EXPECT_EQ(loop.ask(1), 125);
}

TEST(Wf, AWorkerWithoutAWeightIsAverage) {
  Played loop("wf:weights=2:4", {1200, 3});
  EXPECT_EQ(loop.ask(2), 200);
  EXPECT_EQ(loop.ask(0), 134);
  EXPECT_EQ(loop.ask(1), 267);
}

TEST(Wf, AWorkerThatLeftLeavesItsPartToTheOthers) {
  Played loop("wf:weights=1:3", {1000, 2});
  for (const std::uint32_t worker : {0u, 1u}) loop.scheduler().joined(WorkerId{worker}, {});
  loop.scheduler().left(WorkerId{1});
  EXPECT_EQ(loop.ask(0), 500);
  loop.scheduler().joined(WorkerId{1}, {});
  EXPECT_EQ(loop.ask(1), 188) << "of the 500 of a new group";
}

TEST(Wf, RejectsInvalidWeights) {
  EXPECT_EQ(error_of("wf:1:0"),
            "scheduler wf: weights is '1:0' ('0' is out of range); give numbers with ':' between them, from "
            "0.000001 to 1000000");
}

}  // namespace
}  // namespace loadshare::test
