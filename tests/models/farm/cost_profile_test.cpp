#include "models/farm/cost_profile.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "base/random.hpp"

namespace loadshare::predictor {
namespace {

/// Chunks of a loop of this number of iterations, in which iteration i costs `cost_s(i)`, cut by
/// `size(left)`.
CostObservations observed(Index iterations, const auto& cost_s, const auto& size, double narrow = 0) {
  CostObservations seen;
  seen.iterations = iterations;
  for (Index first = 0; first < iterations;) {
    const Chunk chunk{first, std::min<Index>(iterations - first, size(iterations - first))};
    double seconds = 0;
    for (Index i = chunk.first; i < chunk.end(); ++i) seconds += cost_s(i);
    seen.chunks.push_back({chunk, seconds * WidthFactor{narrow}.at(chunk.size)});
    first = chunk.end();
  }
  return seen;
}

constexpr auto falling = [](Index i) { return 1e-3 * (2 - 0.0019 * static_cast<double>(i)); };
constexpr auto even = [](Index) { return 1e-3; };
constexpr auto by_gss = [](Index left) { return (left + 3) / 4; };
const auto fixed_size = [](Index size) { return [size](Index) { return size; }; };

TEST(CostProfileTest, FollowsTheLoopAndNotTheWidths) {
  const CostDraw cost = CostProfile(observed(1000, falling, by_gss)).middle();
  EXPECT_NEAR(cost.loop.total_s(), 1.051, 0.005);
  EXPECT_NEAR(cost.loop.seconds({500, 100}), 0.0956, 0.004);
  EXPECT_NEAR(cost.loop.seconds({900, 100}), 0.0196, 0.001);
  EXPECT_NEAR(cost.widths[0].at(1), 1, 0.1);
}

TEST(CostProfileTest, DistinguishesNarrowChunksFromCheapIterations) {
  CostObservations seen = observed(1000, falling, fixed_size(1), 0.5);
  const CostObservations wide = observed(1000, falling, fixed_size(40), 0.5);
  seen.chunks.insert(seen.chunks.end(), wide.chunks.begin(), wide.chunks.end());
  const CostDraw cost = CostProfile(seen).middle();
  EXPECT_NEAR(cost.loop.total_s(), 1.051, 0.01);
  EXPECT_NEAR(cost.loop.seconds({500, 100}), 0.0956, 0.004);
  EXPECT_NEAR(cost.widths[0].at(1), 1.5, 0.02);
}

TEST(CostProfileTest, IsWideIfWidthsCannotBeSeparatedFromPlaces) {
  CostObservations seen = observed(1000, even, fixed_size(10));
  const Interval unknown = CostProfile(seen).alone();
  EXPECT_GT(unknown.high, 1.2 * unknown.low);
  const CostObservations narrow = observed(1000, even, fixed_size(1));
  seen.chunks.insert(seen.chunks.end(), narrow.chunks.begin(), narrow.chunks.end());
  const Interval known = CostProfile(seen).alone();
  EXPECT_LT(known.high, 1.03 * known.low);
}

/// Random costs of a part of the loop.
std::vector<double> drawn_s(const CostProfile& profile, Chunk part) {
  std::vector<double> seconds;
  for (std::uint64_t number = 1; number < 200; ++number)
    seconds.push_back(profile.drawn(number).loop.seconds(part));
  return seconds;
}

TEST(CostProfileTest, DrawsTheUnknownCostsWithinAWideChunk) {
  const CostProfile profile(observed(1000, falling, [](Index left) { return left > 500 ? 500 : 10; }));
  const std::vector<double> unseen = drawn_s(profile, {0, 100}), seen = drawn_s(profile, {700, 100});
  EXPECT_GT(standard_deviation_of(unseen) / median_of(unseen), 0.05);
  EXPECT_LT(standard_deviation_of(seen) / median_of(seen), 0.03);
  // The total time of the wide chunk is known.
  EXPECT_LT(standard_deviation_of(drawn_s(profile, {0, 500})) / 0.7, 0.05);
}

TEST(CostProfileTest, NoIterationIsFree) {
  const auto nearly_free = [](Index i) { return i < 400 ? 1e-9 : 1e-3; };
  const CostProfile profile(observed(800, nearly_free, by_gss));
  for (std::uint64_t number = 1; number < 20; ++number)
    for (Index i = 0; i < 800; i += 10) EXPECT_GT(profile.drawn(number).loop.seconds({i, 1}), 0);
}

TEST(CostProfileTest, EqualsASingleChunk) {
  const CostProfile profile(observed(10, even, fixed_size(10)));
  const CostDraw cost = profile.middle();
  EXPECT_NEAR(cost.loop.total_s() * cost.widths[0].at(10), 0.01, 1e-6);
}

TEST(CostProfileTest, ManyHostsHaveTheirSpeeds) {
  CostObservations seen = observed(2000, even, fixed_size(5));
  seen.hosts = 100;
  for (std::size_t i = 0; i < seen.chunks.size(); ++i) {
    seen.chunks[i].host = i % 100;
    if (i % 2 == 1) seen.chunks[i].seconds *= 3;
  }
  const CostDraw cost = CostProfile(seen).middle();
  EXPECT_NEAR(cost.host_slowness[1] / cost.host_slowness[2], 3, 0.01);
  EXPECT_NEAR(cost.loop.total_s() * cost.host_slowness[2], 2, 0.05);
}

TEST(CostProfileTest, TheSameNumberDrawsTheSame) {
  const CostProfile profile(observed(100, falling, by_gss));
  EXPECT_EQ(profile.drawn(7).loop.total_s(), profile.drawn(7).loop.total_s());
  EXPECT_NE(profile.drawn(7).loop.total_s(), profile.drawn(8).loop.total_s());
}

}  // namespace
}  // namespace loadshare::predictor
