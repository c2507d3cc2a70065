#include "experiments/sweep/verdict.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "base/error.hpp"
#include "base/random.hpp"
#include "experiments/sweep/plan.hpp"

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
  MeasuredExperiment made;
  made.name = "e";
  made.title = "E";
  made.along = along;
  made.baseline = "send:3";
  made.points = std::move(points);
  return made;
}

std::string sentence_on(std::vector<MeasuredPoint> points) {
  return verdicts_of(experiment(std::move(points))).at(0).sentence();
}

/// Times of so many rounds around `middle`, which scatter by a percent or as much as is said.
std::vector<double> around(double middle, int count, double scatter = 0.01) {
  std::vector<double> times_s;
  for (int i = 0; i < count; ++i) times_s.push_back(middle * (1 + scatter * ((i * 7) % 10 - 4.5) / 4.5));
  return times_s;
}

TEST(TimeRatio, IsTheMedianOfTheRoundsRatios) {
  // All six are above 1, as 2 of 64 ways of signs are; the least and the greatest are all that six have.
  const auto ratio = time_ratio(rounds({2.2, 4.4, 2.4, 6.9, 2.1, 2.6}), rounds({2, 4, 2, 6, 2, 2}));
  ASSERT_TRUE(ratio && ratio->interval);
  EXPECT_NEAR(ratio->interval->low, 1.05, 1e-12);
  EXPECT_NEAR(ratio->interval->high, 1.3, 1e-12);
  EXPECT_NEAR(ratio->value, 1.147, 0.01);
  EXPECT_EQ(ratio->rounds, 6);
  EXPECT_TRUE(ratio->is_shown());
  EXPECT_FALSE(ratio->is_equal());
}

TEST(TimeRatio, CommonDisturbancesOfARoundCancelOut) {
  const auto ratio = time_ratio(rounds({2.2, 4.4, 8.8, 3.3, 11, 1.1}), rounds({2, 4, 8, 3, 10, 1}));
  EXPECT_NEAR(ratio->interval->low, 1.1, 1e-12);
  EXPECT_NEAR(ratio->interval->high, 1.1, 1e-12);
  EXPECT_TRUE(ratio->is_shown());
}

TEST(TimeRatio, ASingleDisturbedRunHidesNothing) {
  std::vector<double> disturbed = around(1.1, 12);
  disturbed[3] = 0.2;
  const auto ratio = time_ratio(rounds(disturbed), rounds(around(1, 12)));
  EXPECT_TRUE(ratio->is_shown());
  EXPECT_NEAR(ratio->value, 1.1, 0.01);
}

TEST(TimeRatio, OnlyRoundsThatBothHaveCount) {
  const auto ratio = time_ratio({{0, 2}, {1, 2}, {5, 100}}, {{0, 1}, {1, 1}, {3, 100}});
  EXPECT_DOUBLE_EQ(ratio->value, 2);
  EXPECT_EQ(ratio->rounds, 2);
  EXPECT_FALSE(time_ratio({{0, 2}}, {{1, 1}}));
}

TEST(TimeRatio, TooFewRoundsNameTheNumberNeeded) {
  for (const int count : {1, 2, 5}) {
    const auto ratio = time_ratio(rounds(around(9, count)), rounds(around(1, count)));
    EXPECT_FALSE(ratio->interval) << count;
    EXPECT_FALSE(ratio->is_shown() || ratio->is_equal()) << count;
    EXPECT_EQ(ratio->rounds_needed, 6) << count;
  }
  const auto of_several = time_ratio(rounds(around(9, 6)), rounds(around(1, 6)), {most_error / 3});
  EXPECT_FALSE(of_several->is_shown());
  EXPECT_EQ(of_several->rounds_needed, 7);
}

TEST(TimeRatio, IsEqualWhereItsIntervalLiesWithinTheMargin) {
  const auto compared = [](double over, double scatter, double margin) {
    std::vector<double> other = around(1, 10, scatter);
    std::ranges::reverse(other);
    return *time_ratio(rounds(around(over, 10, scatter)), rounds(other), {most_error, margin});
  };
  EXPECT_TRUE(compared(1.001, 0.005, 0.03).is_equal());
  EXPECT_FALSE(compared(1.001, 0.1, 0.03).is_equal()) << "undecided: too wide";
  EXPECT_TRUE(compared(1.001, 0.1, 0.2).is_equal());
  EXPECT_FALSE(compared(1.05, 0.005, 0.03).is_equal());
  EXPECT_TRUE(compared(1.05, 0.005, 0.03).is_shown());
  EXPECT_TRUE(compared(1.01, 0.001, 0.03).is_shown() && compared(1.01, 0.001, 0.03).is_equal())
      << "a difference that is there and matters little";
  EXPECT_EQ(compared(0.972, 0.001, 0.03).is_equal(), compared(1 / 0.972, 0.001, 0.03).is_equal())
      << "whichever is over the other";
}

TEST(TimeRatio, RefusesInvalidTimesAndMargins) {
  EXPECT_THROW(time_ratio(rounds({1, 0}), rounds({1, 1})), UsageError);
  EXPECT_THROW(time_ratio(rounds({1, 1}), rounds({1, -1})), UsageError);
  for (const double margin : {0.0, -0.03})
    EXPECT_THROW(time_ratio(rounds({1}), rounds({1}), {most_error, margin}), UsageError);
}

/// Values that take equally long beside loads that sway all of a round.
class AlikeValues {
 public:
  AlikeValues(std::uint64_t seed, int values) : random_(seed) {
    for (int i = 0; i < values; ++i) points_.push_back(measured("gss:" + std::to_string(i), {}));
  }

  void add_round() {
    const double load = 1 + fraction(random_);
    for (MeasuredPoint& point : points_)
      point.times_s[static_cast<Index>(point.times_s.size())] = load * std::exp(0.05 * normal(random_));
  }
  bool shows_a_difference(double error) const {
    MeasuredExperiment measured = experiment(points_);
    measured.error = error;
    const Verdict verdict = verdicts_of(measured).at(0);
    return std::ranges::any_of(verdict.values, [](const JudgedValue& value) {
      return value.over_fastest && value.over_fastest->is_shown();
    });
  }

 private:
  std::mt19937_64 random_;
  std::vector<MeasuredPoint> points_;
};

/// In how many of 1,000 sweeps over values that are alike a difference was shown at one of the looks.
int shown_wrongly(const std::vector<Index>& looks, double error, int values) {
  int shown = 0;
  for (std::uint64_t sweep = 0; sweep < 1000; ++sweep) {
    AlikeValues alike(sweep, values);
    bool is_shown = false;
    Index rounds = 0;
    for (const Index look : looks) {
      for (; rounds < look; ++rounds) alike.add_round();
      is_shown = is_shown || alike.shows_a_difference(error);
    }
    shown += is_shown ? 1 : 0;
  }
  return shown;
}

TEST(Level, OfAllComparisonsOfASettingTogether) {
  EXPECT_LT(shown_wrongly({15}, most_error, 2), 63);  // 50 and two deviations of 6.9
  EXPECT_LT(shown_wrongly({15}, most_error, 5), 63);
}

// Stopping at the first difference uses every check of the stop rule, which is the worst case.
TEST(Level, HoldsWhateverEndsTheRuns) {
  const std::vector<Index> looks = looks_of({6, 30, 0.02});
  EXPECT_LT(shown_wrongly(looks, most_error / static_cast<double>(looks.size()), 3), 63);
  EXPECT_GT(shown_wrongly(looks, most_error, 3), 63) << "what the correction is for";
}

TEST(Text, HasAsManyDigitsAsTheIntervalJustifies) {
  EXPECT_EQ(ratio_text({1.1312, Interval{1.08, 1.1824}}), "1.13 (1.08 to 1.18)");
  EXPECT_EQ(ratio_text({1.0062, Interval{0.9941, 1.0183}}), "1.006 (0.994 to 1.018)");
  EXPECT_EQ(ratio_text({2.5, Interval{2.5, 2.50000001}}), "2.5000 (2.5000 to 2.5000)");
  EXPECT_EQ(ratio_text({2.5, std::nullopt}), "2.50");
}

TEST(Sentence, NamesTheWinner) {
  EXPECT_EQ(sentence_on({measured("send:3", around(2.2, 10)), measured("gss:14", around(1, 10))}),
            "gss:14 is the fastest: 1.00 s, 2.2000 (2.2000 to 2.2000) times as fast as send:3");
}

TEST(Sentence, NamesTheNextAndTheSlowest) {
  EXPECT_EQ(
      sentence_on({measured("send:3", around(4, 10)), measured("gss:14", around(1, 10)),
                   measured("tss", around(2, 10)), measured("factoring", around(3, 10))}),
      "gss:14 is the fastest: 1.00 s, 2.0000 (2.0000 to 2.0000) times as fast as tss and 4.0000 (4.0000 to "
      "4.0000) times as fast as send:3, the slowest");
}

TEST(Sentence, NamesTheEqualAndTheUndecided) {
  std::vector<double> wide = around(1.1, 10, 0.3);
  std::ranges::reverse(wide);
  EXPECT_EQ(sentence_on({measured("send:3", around(4, 10)), measured("gss:14", around(1, 10)),
                         measured("tss", around(1, 10))}),
            "gss:14 and tss are the fastest, equal within 3 %: 1.00 s, 4.0000 (4.0000 to 4.0000) times as "
            "fast as send:3");
  EXPECT_THAT(
      sentence_on({measured("send:3", wide), measured("gss:14", around(1, 10))}),
      testing::MatchesRegex(
          R"(no winner yet between gss:14 and send:3 \(send:3 took 1\.[0-9]+ \(0\.[0-9]+ to 1\.[0-9]+\) times as long; about [0-9]+ repeats may decide\))"));
  EXPECT_THAT(
      sentence_on({measured("send:3", wide), measured("gss:14", around(1, 10)), measured("tss", wide)}),
      testing::MatchesRegex(
          R"(no winner yet between gss:14, (send:3 and tss|tss and send:3) \(none took more than 1\.[0-9]+ times as long as gss:14; about [0-9]+ repeats may decide\))"));
}

TEST(Sentence, SaysHowManyRepeatsAreNeeded) {
  EXPECT_EQ(
      sentence_on({measured("send:3", {1}), measured("gss:14", {9})}),
      "no winner yet between send:3 and gss:14 (needs at least 6 repeats: set `repeat: 6` and run again with "
      "--resume)");
  EXPECT_EQ(sentence_on({measured("send:3", around(1, 5)), measured("gss:14", around(9, 5)),
                         measured("tss", around(2, 5))}),
            "no winner yet between send:3, tss and gss:14 (needs at least 7 repeats: set `repeat: 7` and run "
            "again with --resume)");
  MeasuredPoint later{"later", {{"master", "works"}, {"scheduler", "tss"}}, {{7, 1.5}}, {}};
  EXPECT_EQ(
      sentence_on({measured("send:3", {1}), later}),
      "no winner yet between send:3 and tss (no repetition has a time of both: run again with --resume)");
}

TEST(Sentence, AdviceFollowsThePlannedRepeats) {
  MeasuredExperiment reduced =
      experiment({measured("send:3", around(1, 3)), measured("gss:14", around(9, 3))});
  reduced.repeats = 3;
  reduced.is_reduced = true;
  EXPECT_EQ(verdicts_of(reduced).at(0).sentence(),
            "no winner yet between send:3 and gss:14 (needs at least 6 repeats: set `repeat: 6` under "
            "`reduced:` and run again with --resume)");
  reduced.repeats = 6;  // some runs failed
  EXPECT_EQ(verdicts_of(reduced).at(0).sentence(),
            "no winner yet between send:3 and gss:14 (needs at least 6 repeats: run again with --resume)");
}

TEST(Sentence, WithAnUndecidedRivalTheLeadIsStillGiven) {
  std::vector<double> wide = around(1.1, 10, 0.3);
  std::ranges::reverse(wide);
  EXPECT_THAT(
      sentence_on(
          {measured("send:3", wide), measured("gss:14", around(1, 10)), measured("tss", around(4, 10))}),
      testing::MatchesRegex(
          R"(no winner yet between gss:14 and send:3 \(.*\); gss:14 took 1\.00 s, 4\.0.* times as fast as tss)"));
}

TEST(Repeats, NeededGrowWithTheNumberOfPairs) {
  const auto of_values = [](int values) {
    std::vector<MeasuredPoint> points;
    for (int i = 0; i < values; ++i) points.push_back(measured("gss:" + std::to_string(i), {}));
    return repeats_needed(experiment(std::move(points)));
  };
  EXPECT_EQ(of_values(1), 0);
  EXPECT_EQ(of_values(2), 6);
  EXPECT_EQ(of_values(3), 7);
  EXPECT_EQ(of_values(5), 9);
  EXPECT_EQ(repeats_needed(experiment({measured("send:3", {}), measured("tss", {})}, "")), 0)
      << "no comparison";
}

// With so many repeats a clear winner is named, with one fewer none is.
TEST(Repeats, NeededAreTheFewestThatDecide) {
  for (const int count : {6, 7}) {
    const auto made = experiment({measured("send:3", around(2, count)), measured("gss:14", around(1, count)),
                                  measured("tss", around(3, count))});
    EXPECT_EQ(verdicts_of(made).at(0).values[1].over_fastest->is_shown(), count >= repeats_needed(made))
        << count;
  }
}

TEST(Sentence, IsEmptyIfNothingIsCompared) {
  EXPECT_EQ(sentence_on({measured("send:3", {1, 2})}), "");
  EXPECT_EQ(sentence_on({measured("send:3", {1, 2}), measured("gss:14", {})}), "");
  EXPECT_EQ(
      verdicts_of(experiment({measured("send:3", {1, 2}), measured("gss:14", {3, 3})}, "")).at(0).sentence(),
      "");
}

TEST(Sentence, OfNumbersNamesTheirAxis) {
  MeasuredPoint one{"e/ranks=1", {{"ranks", "1"}}, rounds(around(2, 6)), {}};
  MeasuredPoint two{"e/ranks=2", {{"ranks", "2"}}, rounds(around(1, 6)), {}};
  EXPECT_EQ(verdicts_of(experiment({one, two}, "ranks")).at(0).sentence(),
            "ranks 2 is the fastest: 999 ms, 2.0000 (2.0000 to 2.0000) times as fast as ranks 1");
}

TEST(Verdicts, AreOnePerSettingTheFastestFirst) {
  const auto verdicts = verdicts_of(
      experiment({measured("send:3", {2, 2}, "works"), measured("gss:14", {1, 1}, "works"),
                  measured("send:3", {1, 1}, "coordinates"), measured("gss:14", {}, "coordinates")}));
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].setting, "master works");
  EXPECT_EQ(verdicts[0].values[0].name, "gss:14");
  EXPECT_FALSE(verdicts[0].values[0].over_fastest);
  EXPECT_NEAR(verdicts[0].values[0].over_baseline->value, 0.5, 1e-12);
  EXPECT_NEAR(verdicts[0].values[1].over_fastest->value, 2, 1e-12);
  EXPECT_FALSE(verdicts[0].values[1].over_baseline);
  EXPECT_EQ(verdicts[1].setting, "master coordinates");
  EXPECT_EQ(verdicts[1].values[1].runs, 0);
}

TEST(Verdicts, RoundsOfOneValueAloneDoNotMakeItSlower) {
  // gss has the smaller mean of all its rounds, and lost each that both have.
  const auto verdict = verdicts_of(experiment({measured("gss:14", {2, 2, 2, 1, 1, 1, 1, 1, 1}),
                                               measured("send:3", {1.9, 1.9, 1.9})}))
                           .at(0);
  EXPECT_EQ(verdict.values[0].name, "send:3");
  EXPECT_GT(verdict.values[1].over_fastest->value, 1);
}

TEST(Verdicts, ComparisonsOfASettingAreJudgedTogether) {
  // All six rounds agree, p is 2 / 64: enough for one comparison, too little for the first of three.
  const auto pair =
      verdicts_of(experiment({measured("send:3", around(2, 6)), measured("gss:14", around(1, 6))}));
  EXPECT_TRUE(pair.at(0).values[1].over_fastest->is_shown());
  const auto three = verdicts_of(experiment(
      {measured("send:3", around(2, 6)), measured("gss:14", around(1, 6)), measured("tss", around(3, 6))}));
  EXPECT_FALSE(three.at(0).values[1].over_fastest->is_shown());
  EXPECT_FALSE(three.at(0).values[2].over_fastest->is_shown());
}

TEST(Doubts, AreRunsThatAreTooShort) {
  EXPECT_THAT(
      doubts_about(experiment({measured("send:3", {0.02, 0.021}), measured("gss:14", {0.2, 0.2})})),
      ElementsAre(
          "runs too short to compare closely: master works, scheduler send:3 (20.5 ms per run; enlarge the "
          "problem to 100 ms or more)"));
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
          "disturbed: master works, scheduler gss:14 (1 of 10 runs took up to 2.4 times the "
          "median)",
          "disturbed: master works, scheduler tss (other programs took 12.0 % of its processor time)"));
  // Times that scatter by themselves are not disturbed.
  EXPECT_THAT(doubts_about(experiment({measured("send:3", {1, 2, 1.5, 2.5, 1.2, 3.2, 1.8, 2.9})})),
              IsEmpty());
}

}  // namespace
}  // namespace loadshare::sweep
