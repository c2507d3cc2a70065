#include "models/farm/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace loadshare::predictor {
namespace {

TEST(SignTest, IsTheBinomialsTail) {
  EXPECT_DOUBLE_EQ(sign_test(5, 0), 1);
  EXPECT_NEAR(sign_test(4, 3), 5.0 / 16, 1e-12);
  EXPECT_NEAR(sign_test(12, 12), 1.0 / 4096, 1e-15);
  EXPECT_NEAR(sign_test(9999, 5000), 0.5, 1e-9);
}

/// Candidates whose makespans are known from the start.
struct Field {
  std::vector<std::vector<double>> seconds;  // by candidate, by replicate

  /// `ratios` to a course that replicates have in common, each time off by up to `off`.
  static Field of(const std::vector<double>& ratios, std::size_t replicates, double off) {
    std::mt19937_64 random(7);
    Field field{std::vector<std::vector<double>>(ratios.size())};
    for (std::size_t replicate = 0; replicate < replicates; ++replicate) {
      const double course = 5 + fraction(random);
      for (std::size_t i = 0; i < ratios.size(); ++i)
        field.seconds[i].push_back(course * ratios[i] * (1 + off * (2 * fraction(random) - 1)));
    }
    return field;
  }
};

struct Raced {
  std::vector<std::size_t> begun, whole;  // runs, by candidate
  std::vector<bool> is_beaten;
};

/// `slack`: runs are noticed to be longer than enough only when they are so much longer.
Raced raced(const Field& field, double slack = 1) {
  const std::size_t count = field.seconds.size();
  Race race(count, field.seconds.front().size());
  Raced result{std::vector<std::size_t>(count), std::vector<std::size_t>(count), {}};
  std::set<std::pair<std::size_t, std::size_t>> done;
  for (auto runs = race.next(); !runs.empty(); runs = race.next()) {
    EXPECT_TRUE(std::ranges::is_sorted(runs, {}, &Race::Run::replicate));
    for (const Race::Run& run : runs) {
      const double seconds = field.seconds[run.candidate][run.replicate];
      const bool is_whole = seconds <= slack * run.enough_s;
      EXPECT_TRUE(done.insert({run.candidate, run.replicate}).second || is_whole) << "twice for nothing";
      ++result.begun[run.candidate];
      result.whole[run.candidate] += is_whole ? 1 : 0;
      race.took(run, is_whole ? seconds : run.enough_s, is_whole);
    }
  }
  for (std::size_t i = 0; i < count; ++i) result.is_beaten.push_back(race.is_beaten(i));
  return result;
}

TEST(RaceTest, RunsTheSlowFewTimesAndTheCloseToTheEnd) {
  const Raced result = raced(Field::of({1.3, 1, 1.002, 3}, 30, 0.004));
  EXPECT_EQ(result.is_beaten, (std::vector{true, false, false, true}));
  EXPECT_EQ(result.whole[1], 30);
  EXPECT_EQ(result.whole[2], 30);
  for (const std::size_t slow : {0u, 3u}) {
    EXPECT_EQ(result.whole[slow], 1);
    EXPECT_EQ(result.begun[slow], 12);
  }
}

TEST(RaceTest, ACandidateThatIsSlowerInMostReplicatesIsBeaten) {
  // 1.2 % longer, give or take: no sign test is sure of it, and most pairs are.
  Field field = Field::of({1, 1}, 30, 0);
  for (std::size_t i = 0; i < 30; ++i) field.seconds[1][i] *= i % 3 == 0 ? 1.005 : 1.012;
  const Raced result = raced(field);
  EXPECT_TRUE(result.is_beaten[1]);
  EXPECT_EQ(result.begun[1], 30);
  for (std::size_t i = 0; i < 30; ++i)
    field.seconds[1][i] = field.seconds[0][i] * (i % 3 == 0 ? 1.012 : 1.005);
  EXPECT_FALSE(raced(field).is_beaten[1]);
  EXPECT_EQ(raced(field).whole[1], 30);
}

TEST(RaceTest, FindsTheBestThoughAnotherLedAtFirst) {
  Field field = Field::of({1, 1, 1.5}, 30, 0.002);
  for (std::size_t i = 0; i < 30; ++i) field.seconds[1][i] *= i < 3 ? 1.05 : 0.95;
  const Raced result = raced(field);
  EXPECT_EQ(result.is_beaten, (std::vector{true, false, true}));
  EXPECT_EQ(result.whole[1], 30);
}

TEST(RaceTest, AllCandidatesRunFewReplicates) {
  EXPECT_EQ(raced(Field::of({1, 1.3, 2}, 1, 0)).begun, (std::vector<std::size_t>{1, 1, 1}));
  const Raced five = raced(Field::of({1, 1.3, 1.001}, 5, 0.001), 10);
  EXPECT_EQ(five.whole, (std::vector<std::size_t>{5, 5, 5}));
  EXPECT_EQ(five.is_beaten, (std::vector{false, true, false}));
  EXPECT_EQ(raced(Field::of({1}, 40, 0.1)).whole.front(), 40);
}

// If times scatter more than candidates differ, the race runs to the end and no candidate with an equal
// median leaves.
TEST(RaceTest, RarelyBeatsAnEqualCandidate) {
  std::mt19937_64 random(3);
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    Field field{std::vector<std::vector<double>>(10)};
    for (auto& seconds : field.seconds)
      for (int replicate = 0; replicate < 60; ++replicate) seconds.push_back(10 + 0.2 * normal(random));
    const Raced result = raced(field);
    for (std::size_t one = 0; one < 10; ++one) wrong += result.begun[one] < 60 ? 1 : 0;
  }
  EXPECT_LE(wrong, 10);  // races of 200
}

}  // namespace
}  // namespace loadshare::predictor
