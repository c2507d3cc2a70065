#include "models/program/reconstruction/prediction.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "tests/models/program/reconstruction/made_runs.hpp"

namespace loadshare::reconstruction {
namespace {

/// One nanosecond per byte for both sides, and no send waits for a receive.
class PlainCosts final : public communication::MessageCosts {
 public:
  bool waits_for_receive(communication::SendMode, double) const override { return false; }
  double sender_s(communication::SendMode, communication::ReceivePosted, double bytes) const override {
    return 1e-9 * bytes;
  }
  double receiver_s(communication::SendMode, communication::ReceivePosted, double bytes) const override {
    return 1e-9 * bytes;
  }
  double port_s(double) const override { return 0; }
};

/// All compute a second for 1000 of n and share it, each `scatter` times more or less; then they meet.
ProfiledRun meeting_run(double n, double p, double scatter) {
  static std::mt19937 random(1);
  std::normal_distribution<double> normal;
  MadeRun run(n, p);
  run.each_rank([&](Trace& trace) {
    for (int round = 0; round < 20; ++round)
      trace.elements.push_back(collective("barrier", 0, n / 1000 / p * std::exp(scatter * normal(random))));
  });
  return run.built();
}

Reconstruction meeting_program(double scatter) {
  std::vector<ProfiledRun> runs;
  for (const double n : {1000.0, 2000.0, 4000.0, 8000.0, 16000.0})
    for (const double p : {2.0, 3.0, 4.0, 5.0, 6.0}) runs.push_back(meeting_run(n, p, scatter));
  return reconstruct(runs);
}

TEST(PredictionTest, EvaluatesTheGraphAtTheSetting) {
  const Prediction prediction = predict(meeting_program(0), {{"n", 64000}, {"p", 8}}, PlainCosts());
  EXPECT_NEAR(prediction.seconds, 20 * 8, 1e-6);
  EXPECT_NEAR(prediction.interval->low_s, prediction.interval->high_s, 1e-6);
  EXPECT_EQ(prediction.replicates, 200);
  EXPECT_NEAR(prediction.mean.makespan_s, 20 * 8, 1e-6);
  EXPECT_NEAR(prediction.sum_of_parts.t_exec_s, 20 * 8, 1e-6);
}

/// A barrier takes 10 seconds, nine of ten from `low_s` to `high_s`.
class TenSecondBarrier final : public communication::CollectiveCosts {
 public:
  TenSecondBarrier(double low_s, double high_s, bool is_extrapolated = false)
      : time_{10, low_s, high_s, is_extrapolated} {}
  std::optional<communication::Estimate> time(const std::string&, int, double) const override {
    return time_;
  }

 private:
  communication::Estimate time_;
};

Prediction with_barriers(const TenSecondBarrier& barrier) {
  return predict(meeting_program(0), {{"n", 64000}, {"p", 8}}, PlainCosts(), {.collectives = &barrier});
}

TEST(PredictionTest, UsesMeasuredCalls) {
  const Prediction exact = with_barriers({10, 10});
  EXPECT_NEAR(exact.seconds, 20 * (8 + 10), 1e-6);
  EXPECT_NEAR(exact.interval->high_s - exact.interval->low_s, 0, 1e-6);
}

TEST(PredictionTest, LetsMeasuredCallsScatter) {
  // A deviation of ln(1.44) / 3.29 per call. With 20 calls, the half that they share stays; the other half
  // becomes a twentieth.
  const Prediction prediction = with_barriers({10 / 1.2, 10 * 1.2});
  const double deviation = std::log(1.44) / 3.29 * std::sqrt(0.5 + 0.5 / 20);
  EXPECT_NEAR(prediction.seconds, 20 * (8 + 10), 5) << "the mean stays";
  const double width_s = prediction.interval->high_s - prediction.interval->low_s;
  EXPECT_NEAR(width_s / (2 * 1.645 * deviation * 20 * 10), 1, 0.25);
}

TEST(PredictionTest, HasNoIntervalForExtrapolatedCalls) {
  const Prediction prediction = with_barriers({0, std::numeric_limits<double>::infinity(), true});
  EXPECT_NEAR(prediction.seconds, 20 * (8 + 10), 1e-6);
  EXPECT_FALSE(prediction.interval);
  EXPECT_THAT(prediction.notes,
              testing::Contains("no interval: the error of extrapolated collective calls is not known"));
}

TEST(PredictionTest, WaitsForTheLatestOfScatteredRanks) {
  const Prediction prediction = predict(meeting_program(0.1), {{"n", 64000}, {"p", 8}}, PlainCosts());
  // The largest of 8 normal numbers is 1.42 standard deviations above their mean.
  EXPECT_NEAR(prediction.seconds / prediction.mean.makespan_s, 1.142, 0.03);
  EXPECT_LT(prediction.interval->low_s, prediction.seconds);
  EXPECT_GT(prediction.interval->high_s, prediction.seconds);
}

TEST(PredictionTest, IsWiderForUncertainMessages) {
  const Reconstruction ring = reconstruct(std::vector<ProfiledRun>{ring_run(4000, 2), ring_run(8000, 4)});
  const scaling::Setting setting{{"n", 8000}, {"p", 4}};
  const Prediction sure = predict(ring, setting, PlainCosts());
  const Prediction unsure = predict(ring, setting, PlainCosts(), {200, 1, 0.1});
  EXPECT_GT(unsure.interval->high_s / unsure.interval->low_s,
            1.2 * sure.interval->high_s / sure.interval->low_s);
}

TEST(PredictionTest, NamesItsExtrapolations) {
  const Prediction prediction = predict(meeting_program(0), {{"n", 64000}, {"p", 2}}, PlainCosts());
  EXPECT_THAT(prediction.extrapolations, testing::ElementsAre("n = 64000 (seen: 1000 to 16000)"));
}

/// Four segments, each in a law of its own, before the ranks meet.
ProfiledRun segments_run(double n, double rank_factor, double noise) {
  MadeRun run(n, 2);
  run.each_rank([&](Trace& trace) {
    for (const char* site : {"a", "b", "c", "d"}) {
      const double seconds = n / 1000 * (trace.rank == 0 ? 1 : rank_factor) * noise;
      trace.elements.push_back(collective("barrier", 0, seconds));
      trace.elements.back().site = site;
    }
  });
  return run.built();
}

double width(const Prediction& prediction) {
  return std::log(prediction.interval->high_s / prediction.interval->low_s);
}

TEST(PredictionTest, LetsLawsBeWrongTogether) {
  std::vector<ProfiledRun> runs;
  for (const double n : {1000.0, 2000.0, 4000.0, 8000.0})
    runs.push_back(segments_run(n, 1, n == 1000 || n == 8000 ? 1.05 : 0.95));
  const Reconstruction program = reconstruct(runs);
  const scaling::Setting setting{{"n", 4000}, {"p", 2}};
  const double single = *program.times.front().law.uncertainty_at(setting);
  // Half of the variance is common to all, the other half is a quarter of it in the sum of four alike.
  const double expected = single * std::sqrt(0.5 + 0.5 / 4);
  EXPECT_NEAR(width(predict(program, setting, PlainCosts(), {2000, 1, 0})) / (2 * 1.645 * expected), 1, 0.1);
}

/// Ranks of 1 and 1.5: about their mean the logarithms deviate by 0.277. Each segment takes as long as the
/// slower of two, which varies 0.826 times as much; half of the variance is common to all four.
TEST(PredictionTest, KeepsASlowRankSlow) {
  std::vector<ProfiledRun> runs;
  for (const double n : {1000.0, 2000.0, 4000.0}) runs.push_back(segments_run(n, 1.5, 1));
  const Prediction prediction =
      predict(reconstruct(runs), {{"n", 4000}, {"p", 2}}, PlainCosts(), {2000, 1, 0});
  EXPECT_NEAR(width(prediction), 2 * 1.645 * 0.277 * 0.826 * std::sqrt(0.5 + 0.5 / 4), 0.08);
}

std::string error_at(const std::vector<ProfiledRun>& runs, const scaling::Setting& setting) {
  try {
    predict(reconstruct(runs), setting, PlainCosts());
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PredictionTest, RefusesToPredictFromOneSizeOnly) {
  EXPECT_EQ(error_at({ring_run(4000, 2), ring_run(4000, 4)}, {{"n", 8000}, {"p", 2}}),
            "n = 8000 is asked for, and all runs have n = 4000 (one value does not show how the program "
            "depends on n); add runs with other values, at best five");
  EXPECT_EQ(error_at({ring_run(4000, 2)}, {{"n", 4000}, {"p", 64}}),
            "p = 64 is asked for, and all runs have p = 2 (one value does not show how the program depends "
            "on p); add runs with other values, at best five");
}

TEST(PredictionTest, WarnsOfTwoValues) {
  const Reconstruction ring = reconstruct(std::vector<ProfiledRun>{ring_run(4000, 2), ring_run(8000, 2)});
  EXPECT_THAT(predict(ring, {{"n", 16000}, {"p", 2}}, PlainCosts()).guesses,
              testing::ElementsAre(
                  "the runs have only two values of n: with fewer than five no law is chosen; times are "
                  "assumed to be linear in it, and the interval allows for half a power more or less"));
}

TEST(PredictionTest, WarnsOfTwoNumbersOfRanks) {
  const Reconstruction ring = reconstruct(std::vector<ProfiledRun>{ring_run(4000, 2), ring_run(4000, 4)});
  EXPECT_THAT(
      predict(ring, {{"n", 4000}, {"p", 64}}, PlainCosts()).guesses,
      testing::ElementsAre("the runs have only two values of p: with fewer than five no law is chosen; times "
                           "are assumed to be linear in it, divided by it or independent of it, whichever "
                           "fits, and the interval allows for half a power more or less"));
}

TEST(PredictionTest, RefusesParametersThatNeverVarySeparately) {
  std::vector<ProfiledRun> runs;
  for (const double p : {1, 2, 4, 8}) runs.push_back(meeting_run(1000 * p, p, 0));
  EXPECT_EQ(error_at(runs, {{"n", 1000}, {"p", 4}}),
            "n = 1000, p = 4 is asked for, but the runs vary n and p only together (the effects of the two "
            "cannot be separated); add runs in which only one of them differs");
  EXPECT_EQ(error_at(runs, {{"n", 16000}, {"p", 16}}), "no error");
  runs.push_back(meeting_run(1000, 4, 0));
  EXPECT_EQ(error_at(runs, {{"n", 1000}, {"p", 8}}), "no error");
}

TEST(PredictionTest, SuggestsThreeValues) {
  const std::vector<ProfiledRun> runs{ring_run(4000, 2), ring_run(8000, 2), ring_run(16000, 2)};
  const auto guesses = [&](scaling::LeastValues least) {
    return predict(reconstruct(runs, least), {{"n", 32000}, {"p", 2}}, PlainCosts()).guesses;
  };
  EXPECT_THAT(guesses(scaling::LeastValues::five),
              testing::ElementsAre(
                  testing::HasSubstr("only three values of n: with fewer than five no law is chosen")));
  EXPECT_THAT(guesses(scaling::LeastValues::three),
              testing::ElementsAre(
                  "the runs have only three values of n: laws are chosen from fewer than five values"));
}

TEST(PredictionTest, HasNoIntervalWithoutEvidence) {
  const Reconstruction ring = reconstruct(std::vector<ProfiledRun>{ring_run(4000, 2)});
  const Prediction of_one = predict(ring, {{"n", 4000}, {"p", 2}}, PlainCosts());
  EXPECT_FALSE(of_one.interval);
  EXPECT_EQ(of_one.seconds, of_one.mean.makespan_s);
  EXPECT_THAT(of_one.notes,
              testing::ElementsAre("no interval: runs of one setting do not show the errors of the laws"));
  const Prediction undrawn = predict(meeting_program(0.1), {{"n", 4000}, {"p", 2}}, PlainCosts(), {5, 1, 0});
  EXPECT_FALSE(undrawn.interval);
  EXPECT_THAT(undrawn.notes,
              testing::ElementsAre("no interval: the program is too large to simulate several runs"));
}

TEST(PredictionTest, IsTheSameEveryTime) {
  const Reconstruction program = meeting_program(0.1);
  const scaling::Setting setting{{"n", 64000}, {"p", 8}};
  EXPECT_EQ(predict(program, setting, PlainCosts()).seconds, predict(program, setting, PlainCosts()).seconds);
}

}  // namespace
}  // namespace loadshare::reconstruction
