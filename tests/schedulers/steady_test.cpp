#include "schedulers/steady.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "tests/schedulers/played.hpp"

namespace loadshare::test {
namespace {

// Compares with the equations of the class comment.
TEST(Steady, GivesHalfOfTheRemainingTimeByMeanRates) {
  Played loop("steady", {800, 2});
  EXPECT_EQ(loop.ask(0), 50);  // 800 / 2 / 8
  EXPECT_EQ(loop.ask(1), 12);  // 750 / 2 / 8 / 4 = 11.7
  loop.give_back(0, 50, 2.0);
  // 25 a second; the other worker, not measured yet, counts as much: T = 738 / 50 = 14.76, and half of it
  // 184.5. But it has done 50 only, and 100 when it asks again.
  EXPECT_EQ(loop.ask(0), 50);
  loop.give_back(0, 50, 2.5);
  EXPECT_EQ(loop.ask(0), 100);
  loop.give_back(1, 12, 0.8);
  EXPECT_EQ(loop.ask(1), 12);
  loop.give_back(0, 100, 5.5);
  // 18.2 a second lately, 200 / 10 in the mean; the other 15: T = 576 / 35 = 16.46. By the latest it were
  // 158.
  EXPECT_EQ(loop.ask(0), 165);  // 20 * 8.23 = 164.6
}

TEST(Steady, GivesLessIfMessagesTakeTime) {
  Played loop("steady", {800, 2});
  EXPECT_EQ(loop.ask(0), 50);
  EXPECT_EQ(loop.ask(1), 12);
  loop.give_back(0, 50, 2.2, 2.0);
  loop.give_back(1, 12, 0.86, 0.8);
  // Overheads: 0.2 s for 50 and 0.06 s for 12: h = 0.06 - 12 * 0.14 / 38 = 0.01579 s, and for an
  // iteration 0.003684 s, of 62 in 3.06 s: u = 0.07465. Rates 50 / 2 and 12 / 0.8442 = 14.21, T = 738 / 39.21
  // = 18.82, d = sqrt((0.01579 + 0.5 / 25) * 18.82 / 0.07465) / 2 = 1.502 s.
  EXPECT_EQ(loop.ask(0), 38);  // 25 * 1.502 = 37.5; half of T were 236, and it has done 50
}

// k = 0.5 + 1 / 20 s: chunks of 1.65 s, or of all that is left.
TEST(Steady, GivesNoChunkShorterThanThreeTimesItsCost) {
  LoopFacts facts{40, 2};
  facts.learned.rates = {10, 10};
  facts.learned.overhead = {.fixed_s = 0.5, .each_s = 0, .size = 10, .response_s = 1.5};
  Played loop("steady", facts);
  loop.scheduler().joined(WorkerId{0}, {});
  loop.scheduler().joined(WorkerId{1}, {});
  EXPECT_EQ(loop.ask(0), 17);  // T = 40 / 20; half of it were 10
  EXPECT_EQ(loop.ask(1), 12);  // T = 23 / 20, all of it
}

TEST(Steady, CountsNeitherWaitingNorTheOverheadAsComputing) {
  Played loop("steady", {1000, 1});
  EXPECT_EQ(loop.ask(0), 125);
  // The 6 s include 2.5 s of waiting for the broadcast input and 1 s of overhead.
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
  EXPECT_EQ(loop.ask(0), 75);  // what it has done
  loop.give_back(0, 75, 2.5);
  EXPECT_EQ(loop.ask(0), 150);
  loop.give_back(0, 150, 5.0);
  // 30 a second; the other counts as 10: T = 494 / 40 = 12.35.
  EXPECT_EQ(loop.ask(0), 186);  // 30 * 6.175 = 185.3
}

TEST(Steady, BeginsWithLearnedRates) {
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
TEST(Steady, BeginsWithLearnedOverheads) {
  LoopFacts facts{800, 2};
  facts.learned.rates = {30, 10};
  facts.learned.overhead = {.fixed_s = 0.1, .each_s = 0.01, .size = 50, .response_s = 5};
  Played loop("steady", facts);
  loop.scheduler().joined(WorkerId{0}, {});
  loop.scheduler().joined(WorkerId{1}, {});
  EXPECT_EQ(loop.ask(0), 73);  // 30 * 2.4152 = 72.5
  const Learned learned = loop.scheduler().learned();
  EXPECT_NEAR(learned.overhead.fixed_s, 0.1, 1e-12);
  EXPECT_NEAR(learned.overhead.each_s, 0.01, 1e-12);
  EXPECT_NEAR(learned.overhead.size, 50, 1e-12);
  EXPECT_NEAR(learned.overhead.response_s, 5, 1e-12);
}

TEST(Steady, IgnoresImpossibleOverheads) {
  LoopFacts facts{800, 2};
  facts.learned.rates = {30, 10};
  for (const double nonsense : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    facts.learned.overhead = {.fixed_s = 0.1, .each_s = 0.01, .size = 50, .response_s = nonsense};
    Played loop("steady", facts);
    loop.scheduler().joined(WorkerId{0}, {});
    loop.scheduler().joined(WorkerId{1}, {});
    EXPECT_EQ(loop.ask(0), 300) << nonsense;
  }
}

TEST(Steady, DividesTheTimeAmongTheChunksThatAWorkerMayHold) {
  LoopFacts facts{800, 2};
  facts.learned.rates = {25, 25};
  Played loop("steady", facts);
  loop.scheduler().joined(WorkerId{0}, {.window = 2});
  loop.scheduler().joined(WorkerId{1}, {.window = 2});
  EXPECT_EQ(loop.ask(0), 100);  // T = 800 / 50, of which 25 * 8 are its, in two chunks
  EXPECT_EQ(loop.ask(0), 75);   // 25 * 7, and 100 lie there
  loop.scheduler().reclaimed(WorkerId{0}, {100, 75});
  EXPECT_EQ(loop.ask(0), 57);  // 625 / 50 * 25 / 2 - 100 = 56.3
}

TEST(Steady, MeasuresAReturningWorkerAgain) {
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
