#include "models/efficiency/isoefficiency.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/models/efficiency/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

TEST(Isoefficiency, FactorIsTheGranularity) {
  EXPECT_DOUBLE_EQ(isoefficiency_factor(0.5), 1);
  EXPECT_NEAR(isoefficiency_factor(0.9), 9, 1e-12);
  for (const double wrong : {0.0, 1.0, -0.5, 1.5})
    EXPECT_THAT(error_of([&] { (void)isoefficiency_factor(wrong); }),
                testing::StartsWith("the efficiency to keep is"));
}

TEST(Isoefficiency, FindsTheSizeBetweenTwo) {
  const std::vector<SizedRun> runs{{2, 1, 0.6}, {2, 4, 0.8}, {4, 4, 0.6}, {4, 16, 0.8}};
  const auto points = isoefficiency(runs, 0.7);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].processors, 2);
  EXPECT_NEAR(*points[0].problem_size_s, 2, 1e-12);
  EXPECT_NEAR(*points[0].overhead_s, 2 * 0.3 / 0.7, 1e-12);
  EXPECT_NEAR(*points[1].problem_size_s, 8, 1e-12);
}

TEST(Isoefficiency, DoesNotExtrapolate) {
  const std::vector<SizedRun> runs{{2, 1, 0.6}, {2, 4, 0.8}, {4, 4, 0.6}};
  for (const double outside : {0.5, 0.9}) {
    const auto points = isoefficiency(runs, outside);
    EXPECT_FALSE(points[0].problem_size_s);
    EXPECT_FALSE(points[1].overhead_s);
  }
  EXPECT_DOUBLE_EQ(*isoefficiency(runs, 0.6)[1].problem_size_s, 4);
}

TEST(Isoefficiency, AveragesRunsOfOneSize) {
  const std::vector<SizedRun> runs{{2, 1, 0.5}, {2, 1, 0.7}, {2, 4, 0.8}};
  EXPECT_NEAR(*isoefficiency(runs, 0.7)[0].problem_size_s, 2, 1e-12);
}

// If the overhead is T_o = p log2 p, as for adding numbers on a hypercube, W has to grow as K p log2 p
// (Grama, Gupta and Kumar, 1993).
TEST(Isoefficiency, FollowsAKnownRelation) {
  std::vector<SizedRun> runs;
  for (const int p : {2, 4, 8})
    for (int i = 0; i <= 400; ++i) {
      const double size = std::pow(10, i / 100.0);
      runs.push_back({p, size, size / (size + p * std::log2(p))});
    }
  for (const IsoefficiencyPoint& point : isoefficiency(runs, 0.8)) {
    const double relation = 4 * point.processors * std::log2(point.processors);
    EXPECT_NEAR(*point.problem_size_s / relation, 1, 1e-4);
  }
}

TEST(Isoefficiency, RefusesInvalidSizes) {
  EXPECT_THAT(error_of([] {
                (void)isoefficiency(std::vector<SizedRun>{{2, 0, 0.5}}, 0.5);
              }),
              testing::StartsWith("a problem size is 0 s"));
}

}  // namespace
}  // namespace loadshare::granularity::test
