#include "models/messages/fits/interpolated.hpp"

#include <cmath>

#include "tests/models/messages/made_samples.hpp"

namespace loadshare::communication::test {
namespace {

void add(std::vector<Sample>& samples, double size, std::initializer_list<double> seconds,
         std::size_t launch = 0) {
  for (const double each : seconds) samples.push_back({size, each, launch});
}

/// So often that a size speaks for itself.
void add_often(std::vector<Sample>& samples, double size, std::initializer_list<double> seconds) {
  for (int i = 0; i < 20; ++i) add(samples, size, seconds);
}

TEST(Interpolated, GoesThroughTheTimeOfEverySize) {
  std::vector<Sample> samples;
  add_often(samples, 10, {2, 2, 2});
  add_often(samples, 20, {5, 5, 5});
  add_often(samples, 40, {4, 4, 4});
  const Curve curve = fit_interpolated(samples);
  EXPECT_DOUBLE_EQ(curve.seconds(10), 2);
  EXPECT_DOUBLE_EQ(curve.seconds(15), 3.5);
  EXPECT_DOUBLE_EQ(curve.seconds(20), 5);
  EXPECT_DOUBLE_EQ(curve.seconds(30), 4.5) << "also where larger ones take less";
  EXPECT_DOUBLE_EQ(curve.seconds(40), 4);
}

TEST(Interpolated, ContinuesBeyondTheSizesAndMarksThat) {
  std::vector<Sample> samples;
  for (const double size : {8.0, 16.0, 24.0, 40.0}) add(samples, size, {size});
  add(samples, 40, {40});
  const Curve curve = fit_interpolated(samples);
  EXPECT_DOUBLE_EQ(curve.seconds(4), 8) << "no less than the smallest";
  EXPECT_TRUE(curve.at(4).is_extrapolated);
  EXPECT_DOUBLE_EQ(curve.seconds(80), 80) << "by the slope of the last three";
  EXPECT_TRUE(curve.at(80).is_extrapolated);
  EXPECT_FALSE(curve.at(40).is_extrapolated);
}

TEST(Interpolated, UsesNeighboursForFewSamples) {
  std::vector<Sample> samples;
  for (const double size : {8.0, 12.0, 16.0, 24.0, 32.0}) add(samples, size, {size});
  samples[2].seconds = 160;  // one time was disturbed
  EXPECT_NEAR(fit_interpolated(samples).seconds(16), 16, 1e-9);
  add_often(samples, 16, {160});
  EXPECT_NEAR(fit_interpolated(samples).seconds(16), 160, 1e-9) << "it was not";
}

TEST(Interpolated, UsesNoNeighbourBeyondAJump) {
  std::vector<Sample> samples;
  for (const double size : {16.0, 20.0, 24.0, 32.0}) add(samples, size, {1});
  for (const double size : {36.0, 44.0, 52.0, 64.0}) add(samples, size, {100 * size});
  const Curve curve = fit_interpolated(samples);
  EXPECT_NEAR(curve.seconds(24), 1, 1e-9);
  EXPECT_NEAR(curve.seconds(32), 1, 1e-9);
  EXPECT_NEAR(curve.seconds(36), 3600, 1e-6);
  EXPECT_NEAR(curve.seconds(44), 4400, 1e-6);
}

TEST(Interpolated, NeverFallsBeyondTheLargest) {
  std::vector<Sample> samples;
  add(samples, 10, {5});
  add(samples, 20, {4});
  EXPECT_DOUBLE_EQ(fit_interpolated(samples).seconds(1000), 4);
}

TEST(Interpolated, TakesMeansWithoutDisturbances) {
  std::vector<Sample> samples;
  for (int i = 0; i < 12; ++i) add(samples, 10, {1});
  for (int i = 0; i < 7; ++i) add(samples, 10, {3});  // one call in three waits
  add(samples, 10, {1000});
  // Without two of each end: 10 of 1 and 6 of 3.
  EXPECT_NEAR(fit_interpolated(samples).seconds(10), 28.0 / 16, 1e-9);
}

TEST(Interpolated, IsTheMeanOfASingleSize) {
  std::vector<Sample> samples;
  add(samples, 0, {1, 2, 3});
  const Curve curve = fit_interpolated(samples);
  EXPECT_DOUBLE_EQ(curve.seconds(0), 2);
  EXPECT_FALSE(curve.at(0).is_extrapolated);
  EXPECT_TRUE(curve.at(1).is_extrapolated);
}

TEST(Interpolated, MeasuresTheScatterOfEachSize) {
  std::vector<Sample> samples;
  for (int i = 0; i < 8; ++i) {
    const double size = 4 << i;
    if (i < 2) add(samples, size, {0.1, 1, 10, 0.1, 1, 10, 1});  // small ones scatter
    if (i >= 2) add(samples, size, {0.99, 1, 1.01, 1, 0.99, 1, 1.01});
  }
  const Curve curve = fit_interpolated(samples);
  EXPECT_GT(curve.at(5).high_s, 5);
  EXPECT_LT(curve.at(400).high_s, 1.02);
  EXPECT_GT(curve.at(400).low_s, 0.98);
}

TEST(Interpolated, IncludesTheDifferencesOfLaunches) {
  // Each launch has sizes of its own, as another seed gives it.
  std::vector<Sample> samples;
  const double factors[] = {0.9, 1, 1.1};
  for (std::size_t launch = 0; launch < 3; ++launch)
    for (double size = 64 + 10.0 * static_cast<double>(launch); size < 1e6; size *= 2)
      for (int i = 0; i < 30; ++i)
        add(samples, size, {factors[launch] * size * (1 + 0.001 * (i % 3 - 1))}, launch);
  const Curve curve = fit_interpolated(samples);
  for (const double size : {100.0, 5000.0, 300000.0}) {
    const Estimate time = curve.at(size);
    EXPECT_NEAR(time.seconds / size, 1, 0.05);
    EXPECT_LT(time.low_s, 0.85 * size) << "a fourth launch may be further off than those";
    EXPECT_GT(time.high_s, 1.15 * size);
  }
}

TEST(Interpolated, HasNoIntervalWithoutRepetitions) {
  std::vector<Sample> samples;
  for (const double size : {8.0, 16.0, 24.0}) add(samples, size, {size});
  EXPECT_EQ(fit_interpolated(samples).at(16).low_s, 0);
  EXPECT_TRUE(std::isinf(fit_interpolated(samples).at(16).high_s));
}

TEST(Interpolated, LevelsLaunches) {
  // The second launch is a tenth slower, and is alone at one size.
  std::vector<Sample> samples;
  for (const double size : {10.0, 20.0, 40.0}) {
    add(samples, size, {size}, 0);
    add(samples, size, {1.1 * size}, 1);
  }
  add(samples, 30, {33}, 1);
  const Curve curve = fit_interpolated(samples);
  EXPECT_NEAR(curve.seconds(30) / curve.seconds(20), 1.5, 1e-9);
}

TEST(Interpolated, RefusesInvalidTimes) {
  const std::vector<Sample> none{{10, 0, 0}};
  EXPECT_EQ(error_of([&] { fit_interpolated(none); }),
            "the time at size 10 is 0 s (times are finite and more than 0)");
}

}  // namespace
}  // namespace loadshare::communication::test
