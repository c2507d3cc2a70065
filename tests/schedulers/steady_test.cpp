#include "schedulers/steady.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "tests/schedulers/played.hpp"

namespace loadshare::test {
namespace {

// Beside the equations of the class comment.
TEST(Steady, HalvesWhatIsLeftByMeanRates) {
  Played loop("steady", {800, 2});
  EXPECT_EQ(loop.ask(0), 50);  // 800 / 2 / 8
  EXPECT_EQ(loop.ask(1), 12);  // 750 / 2 / 8 / 4 = 11.7
  loop.give_back(0, 50, 2.0);
  // 25 a second; the other, not measured yet, as many: T = 738 / 50 = 14.76.
  EXPECT_EQ(loop.ask(0), 185);  // 25 * 7.38
  loop.give_back(1, 12, 0.8);
  // 15 a second, T = 553 / 40 = 13.8, and half of it would be 104; but it has done 12 only.
  EXPECT_EQ(loop.ask(1), 48);
  loop.give_back(0, 185, 9.25);
  // 20 a second lately, 235 / 11.25 = 20.9 in the mean: T = 505 / 35.9 = 14.07. By the latest it were 145.
  EXPECT_EQ(loop.ask(0), 147);  // 20.9 * 7.04
}

TEST(Steady, GivesLessWhereMessagesTakeTime) {
  Played loop("steady", {800, 2});
  EXPECT_EQ(loop.ask(0), 50);
  EXPECT_EQ(loop.ask(1), 12);
  loop.give_back(0, 50, 2.1, 2.0);
  loop.give_back(1, 12, 0.84, 0.8);
  // Beside computing 0.1 s for 50 and 0.04 s for 12: h = 0.04 - 12 * 0.06 / 38 = 0.0211 s, and for an
  // iteration 0.00158 s, of 62 in 2.94 s: u = 0.0333. Rates 50 / 2 and 12 / 0.819 = 14.65, T = 738 / 39.65 =
  // 18.61, d = sqrt((0.0211 + 0.5 / 14.65) * 18.61 / 0.0333) / 2 = 2.777 s.
  EXPECT_EQ(loop.ask(1), 41);  // 14.65 * 2.777 = 40.7; half of T were 48, four times 12
}

TEST(Steady, CountsNeitherWaitingNorTheOverheadAsComputing) {
  Played loop("steady", {1000, 1});
  EXPECT_EQ(loop.ask(0), 125);
  // Of 6 s it waited for 2.5 s for the broadcast input; 1 s was beside computing.
  loop.scheduler().completed(
      {.worker = WorkerId{0}, .chunk = {0, 125}, .response_s = 6, .compute_s = 2.5, .waiting_s = 2.5});
  EXPECT_EQ(loop.scheduler().learned().rates, std::vector<double>{50});  // 125 / 2.5
}

TEST(Steady, BeginsByWeights) {
  LoopFacts facts{800, 2};
  facts.weights = {3, 1};
  Played loop("steady", facts);
  loop.scheduler().joined(WorkerId{0}, {.weight = 3});
  EXPECT_EQ(loop.ask(0), 75);  // 800 / 8 * 3 / 4, before the other is there
  loop.scheduler().joined(WorkerId{1}, {.weight = 1});
  EXPECT_EQ(loop.ask(1), 6);  // 725 / 8 * 1 / 4 / 4 = 5.7
  loop.give_back(0, 75, 2.5);
  // 30 a second; the other counts as 10: T = 719 / 40 = 17.98.
  EXPECT_EQ(loop.ask(0), 270);  // 30 * 8.99 = 269.6
}

TEST(Steady, BeginsWithWhatItLearned) {
  LoopFacts facts{800, 2};
  facts.learned.rates = {30, 10};
  Played loop("steady", facts);
  loop.scheduler().joined(WorkerId{0}, {});
  loop.scheduler().joined(WorkerId{1}, {});
  EXPECT_EQ(loop.ask(0), 300);  // 30 * (800 / 40) / 2
  EXPECT_EQ(loop.ask(1), 63);   // 10 * (500 / 40) / 2 = 62.5
  EXPECT_THAT(loop.scheduler().learned().rates, testing::ElementsAre(30, 10));
}

// u = 0.01 * 50 / 5, and d = sqrt((0.1 + 1 / 60) * 20 / 0.1) / 2 = 2.4152 of T = 20.
TEST(Steady, BeginsWithWhatItLearnedOfMessages) {
  LoopFacts facts{800, 2};
  facts.learned.rates = {30, 10};
  facts.learned.beside = {.overhead_s = 0.1, .each_s = 0.01, .size = 50, .response_s = 5};
  Played loop("steady", facts);
  loop.scheduler().joined(WorkerId{0}, {});
  loop.scheduler().joined(WorkerId{1}, {});
  EXPECT_EQ(loop.ask(0), 73);  // 30 * 2.4152 = 72.5
  const Learned learned = loop.scheduler().learned();
  EXPECT_NEAR(learned.beside.overhead_s, 0.1, 1e-12);
  EXPECT_NEAR(learned.beside.each_s, 0.01, 1e-12);
  EXPECT_NEAR(learned.beside.size, 50, 1e-12);
  EXPECT_NEAR(learned.beside.response_s, 5, 1e-12);
}

TEST(Steady, IgnoresWhatIsNoTimeOfMessages) {
  LoopFacts facts{800, 2};
  facts.learned.rates = {30, 10};
  for (const double nonsense : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    facts.learned.beside = {.overhead_s = 0.1, .each_s = 0.01, .size = 50, .response_s = nonsense};
    Played loop("steady", facts);
    loop.scheduler().joined(WorkerId{0}, {});
    loop.scheduler().joined(WorkerId{1}, {});
    EXPECT_EQ(loop.ask(0), 300) << nonsense;
  }
}

TEST(Steady, SharesItsTimeOutAmongTheChunksThatAWorkerMayHold) {
  Played loop("steady", {800, 2});
  loop.scheduler().joined(WorkerId{0}, {.window = 2});
  loop.scheduler().joined(WorkerId{1}, {.window = 2});
  EXPECT_EQ(loop.ask(0), 50);
  EXPECT_EQ(loop.ask(0), 47);  // 750 / 2 / 8 = 46.9
  loop.give_back(0, 50, 2.0);
  // T = 703 / 50 = 14.06, of which 25 * 7.03 = 175.75 are its, and 47 lie there.
  EXPECT_EQ(loop.ask(0), 129);
  loop.scheduler().reclaimed(WorkerId{0}, {0, 129});
  EXPECT_EQ(loop.ask(0), 97);  // 574 / 50 * 25 / 2 - 47 = 96.5
}

TEST(Steady, MeasuresAnewWhoComesBack) {
  Played loop("steady", {800, 2});
  loop.scheduler().joined(WorkerId{0}, {});
  loop.scheduler().joined(WorkerId{1}, {});
  EXPECT_EQ(loop.ask(0), 50);
  loop.give_back(0, 50, 2.0);
  loop.scheduler().left(WorkerId{0});
  loop.scheduler().joined(WorkerId{0}, {});
  EXPECT_EQ(loop.ask(0), 47);  // 750 / 2 / 8
}

}  // namespace
}  // namespace loadshare::test
