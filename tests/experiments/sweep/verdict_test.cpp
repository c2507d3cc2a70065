#include "experiments/sweep/verdict.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace loadshare::sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::map<Index, double> rounds(const std::vector<double>& times_s) {
  std::map<Index, double> times;
  for (const double time_s : times_s) times[static_cast<Index>(times.size())] = time_s;
  return times;
}

MeasuredPoint measured(const std::string& scheduler, const std::vector<double>& times_s,
                       const std::string& master = "works") {
  return {
      "e/" + master + "/" + scheduler, {{"master", master}, {"scheduler", scheduler}}, rounds(times_s), {}};
}

MeasuredExperiment experiment(std::vector<MeasuredPoint> points, const std::string& along = "scheduler") {
  return {"e", "E", along, "send:3", std::move(points)};
}

std::string sentence_on(std::vector<MeasuredPoint> points) {
  return verdicts_of(experiment(std::move(points))).at(0).sentence();
}

TEST(TimeRatio, IsThatOfTheMeansWithStudentsInterval) {
  // Residuals -0.1, 0, 0.1 of the pairs: deviation 0.1, error 0.1 / sqrt(3) / 1, and t of two degrees 4.3027.
  const auto ratio = time_ratio(rounds({1.9, 2.0, 2.1}), rounds({1, 1, 1}), 1);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->value, 2);
  EXPECT_NEAR(ratio->reach, 4.3027 * 0.1 / std::sqrt(3.0), 1e-4);
  EXPECT_EQ(ratio->rounds, 3);
  // Two comparisons together: t of two degrees that 98.75 % lie below is 6.2053.
  EXPECT_NEAR(time_ratio(rounds({1.9, 2.0, 2.1}), rounds({1, 1, 1}), 2)->reach, 6.2053 * 0.1 / std::sqrt(3.0),
              1e-4);
}

TEST(TimeRatio, WhatDisturbsBothOfARoundCancelsOut) {
  const auto ratio = time_ratio(rounds({2.2, 4.4, 8.8, 3.3}), rounds({2, 4, 8, 3}), 1);
  EXPECT_NEAR(ratio->value, 1.1, 1e-12);
  EXPECT_NEAR(ratio->reach, 0, 1e-12);
  EXPECT_TRUE(ratio->is_shown());
}

TEST(TimeRatio, OnlyRoundsThatBothHaveCount) {
  const auto ratio = time_ratio({{0, 2}, {1, 2}, {5, 100}}, {{0, 1}, {1, 1}, {3, 100}}, 1);
  EXPECT_DOUBLE_EQ(ratio->value, 2);
  EXPECT_EQ(ratio->rounds, 2);
  EXPECT_FALSE(time_ratio({{0, 2}}, {{1, 1}}, 1));
  EXPECT_FALSE(time_ratio({{0, 2}}, {{0, 1}}, 1)->is_shown()) << "one round tells nothing";
}

TEST(TimeRatio, ItsIntervalHoldsTheTruthAsOftenAsItSays) {
  std::uint64_t state = 1;
  const auto noise = [&state] {  // the mean of four uniform numbers
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += static_cast<double>(state >> 11) / 9007199254740992.0 / 4;
    }
    return sum;
  };
  int held = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> over, under;
    for (int i = 0; i < 8; ++i) {
      over.push_back(1.2 * (0.9 + 0.2 * noise()));
      under.push_back(0.9 + 0.2 * noise());
    }
    const auto ratio = time_ratio(rounds(over), rounds(under), 1);
    held += std::abs(ratio->value - 1.2) <= ratio->reach ? 1 : 0;
  }
  EXPECT_GT(held, 0.935 * trials);
  EXPECT_LT(held, 0.965 * trials);
}

TEST(Text, HasAsManyDigitsAsAreWorthIt) {
  EXPECT_EQ(ratio_text({1.1312, 0.0512, 10}), "1.13 +- 0.05");
  EXPECT_EQ(ratio_text({1.0062, 0.0121, 10}), "1.006 +- 0.012");
  EXPECT_EQ(ratio_text({2.5, 0.00000001, 10}), "2.5000 +- 0.0000");
  EXPECT_EQ(ratio_text({2.5, std::numeric_limits<double>::infinity(), 1}), "2.50");
}

TEST(Sentence, NamesTheWinner) {
  EXPECT_EQ(sentence_on({measured("send:3", {2.2, 2.21, 2.19}), measured("gss:14", {1, 1.01, 0.99})}),
            "gss:14 ran 2.20 +- 0.03 times as fast as send:3");
}

TEST(Sentence, NamesTheNextAndTheSlowest) {
  EXPECT_EQ(
      sentence_on({measured("send:3", {4, 4.1, 3.9}), measured("gss:14", {1, 1.1, 0.9}),
                   measured("tss", {2.0, 2.1, 1.9}), measured("factoring", {3, 3.1, 2.9})}),
      "gss:14 ran 2.00 +- 0.44 times as fast as tss and 4.00 +- 1.32 times as fast as send:3, the slowest");
}

TEST(Sentence, NamesTheUndecided) {
  EXPECT_EQ(sentence_on({measured("send:3", {4, 4.1, 3.9}), measured("gss:14", {1, 1.1, 0.9}),
                         measured("tss", {1.0, 0.9, 1.12})}),
            "gss:14 ran 4.00 +- 1.07 times as fast as send:3; undecided between gss:14 and tss (1.01 +- 0.76 "
            "times as "
            "long)");
  EXPECT_EQ(sentence_on({measured("send:3", {1, 1.1, 0.9}), measured("gss:14", {1, 0.9, 1.12})}),
            "undecided between send:3 and gss:14 (1.01 +- 0.52 times as long)");
  EXPECT_EQ(sentence_on({measured("send:3", {1}), measured("gss:14", {9})}),
            "undecided between send:3 and gss:14 (too few runs to tell)");
}

TEST(Sentence, IsNoneWhereThereIsNothingToCompare) {
  EXPECT_EQ(sentence_on({measured("send:3", {1, 2})}), "");
  EXPECT_EQ(sentence_on({measured("send:3", {1, 2}), measured("gss:14", {})}), "");
  EXPECT_EQ(
      verdicts_of(experiment({measured("send:3", {1, 2}), measured("gss:14", {3, 3})}, "")).at(0).sentence(),
      "");
}

TEST(Sentence, OfNumbersNamesTheirAxis) {
  MeasuredPoint one{"e/ranks=1", {{"ranks", "1"}}, rounds({2, 2}), {}};
  MeasuredPoint two{"e/ranks=2", {{"ranks", "2"}}, rounds({1, 1}), {}};
  EXPECT_EQ(verdicts_of(experiment({one, two}, "ranks")).at(0).sentence(),
            "ranks 2 ran 2.0000 +- 0.0000 times as fast as ranks 1");
}

TEST(Verdicts, AreOnePerSettingTheFastestFirst) {
  const auto verdicts = verdicts_of(
      experiment({measured("send:3", {2, 2}, "works"), measured("gss:14", {1, 1}, "works"),
                  measured("send:3", {1, 1}, "coordinates"), measured("gss:14", {}, "coordinates")}));
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].setting, "master works");
  EXPECT_EQ(verdicts[0].values[0].name, "gss:14");
  EXPECT_FALSE(verdicts[0].values[0].over_fastest);
  EXPECT_DOUBLE_EQ(verdicts[0].values[0].over_baseline->value, 0.5);
  EXPECT_DOUBLE_EQ(verdicts[0].values[1].over_fastest->value, 2);
  EXPECT_FALSE(verdicts[0].values[1].over_baseline);
  EXPECT_EQ(verdicts[1].setting, "master coordinates");
  EXPECT_EQ(verdicts[1].values[1].runs, 0);
}

TEST(Verdicts, ARoundThatOneAloneHasDoesNotMakeItSlower) {
  // gss has the smaller mean of all its rounds, and lost each that both have.
  const auto verdict = verdicts_of(experiment({measured("gss:14", {2, 2, 2, 1, 1, 1, 1, 1, 1}),
                                               measured("send:3", {1.9, 1.9, 1.9})}))
                           .at(0);
  EXPECT_EQ(verdict.values[0].name, "send:3");
  EXPECT_GT(verdict.values[1].over_fastest->value, 1);
}

TEST(Doubts, AreRunsThatAreTooShort) {
  EXPECT_THAT(
      doubts_about(experiment({measured("send:3", {0.02, 0.021}), measured("gss:14", {0.2, 0.2})})),
      ElementsAre(
          "too short to compare closely: master works, scheduler send:3 (20.5 ms a run; give each 100 "
          "ms or more to do)"));
  EXPECT_THAT(doubts_about(experiment({measured("send:3", {0.2, 0.2})})), IsEmpty());
}

TEST(Doubts, AreRunsThatWereDisturbed) {
  const std::vector<double> quiet{1, 1.01, 0.99, 1.02, 1, 1.01, 0.98, 1, 1};
  std::vector<double> disturbed = quiet;
  disturbed.push_back(2.4);
  MeasuredPoint robbed = measured("tss", quiet);
  robbed.stolen = {0.2, 0.12, 0.1};
  EXPECT_THAT(
      doubts_about(experiment({measured("send:3", quiet), measured("gss:14", disturbed), robbed})),
      ElementsAre(
          "disturbed: master works, scheduler gss:14 (1 of 10 runs took up to 2.4 times as long as the "
          "middle one)",
          "disturbed: master works, scheduler tss (other programs took 12.0 % of its time)"));
  // What scatters by itself is not disturbed.
  EXPECT_THAT(doubts_about(experiment({measured("send:3", {1, 2, 1.5, 2.5, 1.2, 3.2, 1.8, 2.9})})),
              IsEmpty());
}

}  // namespace
}  // namespace loadshare::sweep
