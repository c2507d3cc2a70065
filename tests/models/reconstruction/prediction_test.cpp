#include "models/reconstruction/prediction.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/models/reconstruction/made_runs.hpp"

namespace loadshare::reconstruction {
namespace {

/// One nanosecond a byte, for both sides alike, and nobody waits for a receive.
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
  for (const double n : {1000.0, 4000.0, 16000.0})
    for (const double p : {2.0, 4.0}) runs.push_back(meeting_run(n, p, scatter));
  return reconstruct(runs);
}

TEST(PredictionTest, EvaluatesTheGraphAtTheSetting) {
  const Prediction prediction = predict(meeting_program(0), {{"n", 64000}, {"p", 8}}, PlainCosts());
  EXPECT_NEAR(prediction.seconds, 20 * 8, 1e-6);
  EXPECT_NEAR(prediction.low_s, prediction.high_s, 1e-6);
  EXPECT_NEAR(prediction.mean.makespan_s, 20 * 8, 1e-6);
  EXPECT_NEAR(prediction.seed_sum.t_exec_s, 20 * 8, 1e-6);
}

TEST(PredictionTest, WaitsForTheLatestOfThoseThatScatter) {
  const Prediction prediction = predict(meeting_program(0.1), {{"n", 64000}, {"p", 8}}, PlainCosts());
  // The largest of 8 normal numbers is 1.42 standard deviations above their mean.
  EXPECT_NEAR(prediction.seconds / prediction.mean.makespan_s, 1.142, 0.03);
  EXPECT_LT(prediction.low_s, prediction.seconds);
  EXPECT_GT(prediction.high_s, prediction.seconds);
}

TEST(PredictionTest, IsWiderWhereMessagesAreUncertain) {
  const Reconstruction ring = reconstruct(std::vector<ProfiledRun>{ring_run(4000, 2), ring_run(8000, 4)});
  const scaling::Setting setting{{"n", 8000}, {"p", 4}};
  const Prediction sure = predict(ring, setting, PlainCosts());
  const Prediction unsure = predict(ring, setting, PlainCosts(), {200, 1, 0.1});
  EXPECT_GT(unsure.high_s / unsure.low_s, 1.2 * sure.high_s / sure.low_s);
}

TEST(PredictionTest, NamesWhatItExtrapolates) {
  const Prediction prediction = predict(meeting_program(0), {{"n", 64000}, {"p", 2}}, PlainCosts());
  EXPECT_THAT(prediction.extrapolations, testing::ElementsAre("n = 64000 (seen: 1000 to 16000)"));
}

TEST(PredictionTest, IsTheSameEveryTime) {
  const Reconstruction program = meeting_program(0.1);
  const scaling::Setting setting{{"n", 64000}, {"p", 8}};
  EXPECT_EQ(predict(program, setting, PlainCosts()).seconds, predict(program, setting, PlainCosts()).seconds);
}

}  // namespace
}  // namespace loadshare::reconstruction
