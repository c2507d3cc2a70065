#include <gtest/gtest.h>

#include "tests/schedulers/played.hpp"

namespace loadshare::test {
namespace {

// The workers did 60 iterations in 3 s and 40 in 4 s: pi = 0.05 and 0.1, weights 4/3 and 2/3. Then 70
// in 7 s and 30 in 1.5 s, which count twice: pi = (3 + 2 7) / (60 + 2 70) = 0.085 and (4 + 2 1.5) / (40 + 2
// 30) = 0.07.
TEST(Awf, LearnsFromRunToRun) {
  LoopFacts loop{100, 2};
  Played first("awf", loop);
  EXPECT_EQ(first.ask(0), 25);
  first.give_back(0, 60, 5.0, 3.0);
  EXPECT_EQ(first.ask(1), 25) << "not within a run";
  first.give_back(1, 40, 4.0);
  EXPECT_EQ(first.ask(1), 13);
  loop.learned = first.scheduler().learned();

  Played second("awf", loop);
  EXPECT_EQ(second.ask(0), 34) << "50 2/3";
  EXPECT_EQ(second.ask(1), 17) << "50 1/3";
  EXPECT_EQ(second.ask(0), 17) << "49 / 2 2/3";
  EXPECT_EQ(second.ask(1), 9) << "8.2";
  second.give_back(0, 70, 7.0);
  second.give_back(1, 30, 1.5);
  loop.learned = second.scheduler().learned();

  Played third("awf", loop);
  EXPECT_EQ(third.ask(0), 23) << "50 0.07 / 0.155 = 22.6";
  EXPECT_EQ(third.ask(1), 28) << "27.4";
}

TEST(Awf, IgnoresDataOfOtherTechniques) {
  LoopFacts loop{100, 2};
  loop.learned.rates = {50, 1};
  Played played("awf", loop);
  EXPECT_EQ(played.ask(0), 25);
}

// Times are those of computing; of the whole chunk they would be others.
TEST(AwfB, UpdatesWeightsForEachGroup) {
  Played loop("awf-b", {1000, 2});
  EXPECT_EQ(loop.ask(0), 250);
  EXPECT_EQ(loop.ask(1), 250);
  loop.give_back(0, 250, 9.0, 5.0);
  EXPECT_EQ(loop.ask(0), 125) << "500 / 4: the other counts as equal, as long as it has returned nothing";
  loop.give_back(1, 250, 90.0, 20.0);
  EXPECT_EQ(loop.ask(1), 125) << "not within a group";
  loop.give_back(0, 125, 9.0, 5.0);
  EXPECT_EQ(loop.ask(0), 91) << "pi = 15 / 500 and 0.08: 125 0.08 / 0.11 = 90.9";
  loop.give_back(1, 125, 9.0, 2.5);
  EXPECT_EQ(loop.ask(1), 35) << "34.1";
  loop.give_back(0, 91, 9.0, 1.82);
  EXPECT_EQ(loop.ask(0), 41) << "pi = 20.46 / 773 and 25 / 500: 62 0.6539 = 40.5";
}

TEST(AwfC, UpdatesWeightsForEachChunk) {
  Played loop("awf-c", {1000, 2});
  EXPECT_EQ(loop.ask(0), 250);
  EXPECT_EQ(loop.ask(1), 188) << "750 / 4";
  loop.give_back(0, 250, 9.0, 5.0);
  EXPECT_EQ(loop.ask(0), 141) << "562 / 4";
  loop.give_back(1, 188, 90.0, 15.04);
  EXPECT_EQ(loop.ask(1), 43) << "421 / 2 12.5 / 62.5 = 42.1";
  loop.give_back(0, 141, 9.0, 5.64);
  EXPECT_EQ(loop.ask(0), 137) << "378 / 2, pi = 16.28 / 532 and 0.08: 0.7233 189 = 136.7";
  loop.give_back(1, 43, 9.0, 2.15);
  EXPECT_EQ(loop.ask(1), 37) << "241 / 2, pi = 19.34 / 274: 0.3024 120.5 = 36.4";
}

// The same times, of the whole chunks.
TEST(AwfD, IsAwfBByWholeTimes) {
  Played loop("awf-d", {1000, 2});
  EXPECT_EQ(loop.ask(0), 250);
  EXPECT_EQ(loop.ask(1), 250);
  loop.give_back(0, 250, 5.0, 1.0);
  loop.give_back(1, 250, 20.0, 1.0);
  EXPECT_EQ(loop.ask(0), 200) << "250 0.8";
  EXPECT_EQ(loop.ask(1), 50);
}

TEST(AwfE, IsAwfCByWholeTimes) {
  Played loop("awf-e", {1000, 2});
  EXPECT_EQ(loop.ask(0), 250);
  EXPECT_EQ(loop.ask(1), 188);
  loop.give_back(0, 250, 5.0, 1.0);
  EXPECT_EQ(loop.ask(0), 141);
  loop.give_back(1, 188, 15.04, 1.0);
  EXPECT_EQ(loop.ask(1), 43);
}

TEST(AwfC, AWorkerThatLeftLeavesItsPartToTheOthers) {
  Played loop("awf-c", {1000, 2});
  for (const std::uint32_t worker : {0u, 1u}) loop.scheduler().joined(WorkerId{worker}, {});
  loop.give_back(0, 250, 5.0);
  loop.give_back(1, 250, 20.0);
  loop.scheduler().left(WorkerId{1});
  EXPECT_EQ(loop.ask(0), 500);
  loop.scheduler().joined(WorkerId{2}, {});
  EXPECT_EQ(loop.ask(2), 125) << "a newcomer counts as equal";
}

}  // namespace
}  // namespace loadshare::test
