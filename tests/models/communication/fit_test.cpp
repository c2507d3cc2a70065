#include "models/communication/fit.hpp"

#include <cmath>
#include <limits>

#include "tests/models/communication/made_samples.hpp"

namespace loadshare::communication::test {
namespace {

std::string refusal(const std::vector<Sample>& samples) {
  return error_of([&] { require_fittable(samples); });
}

TEST(Fit, HasATable) {
  ASSERT_EQ(fits().size(), 2U);
  EXPECT_STREQ(fits().front().name, "segmented");
  EXPECT_STREQ(find_fit("seed").name, "seed");
  EXPECT_EQ(error_of([] { find_fit("sed"); }),
            "unknown --fit 'sed' (valid: segmented, seed) did you mean 'seed'?");
}

TEST(Fit, RefusesWhatHasNoLine) {
  EXPECT_EQ(refusal({{1, 1}, {2, 2}}),
            "too few points: 2 (a line takes 3 to show how far it is off) measure more of them");
  EXPECT_EQ(refusal({{8, 1}, {8, 2}, {8, 3}}),
            "all 3 points are of size 8 (a line takes two sizes at least) measure other sizes too");
  EXPECT_EQ(refusal({{1, 1}, {2, 0}, {3, 3}}),
            "the time at size 2 is 0 s (times are finite and more than 0)");
  EXPECT_EQ(refusal({{1, 1}, {2, -1}, {3, 3}}),
            "the time at size 2 is -1 s (times are finite and more than 0)");
  EXPECT_EQ(refusal({{1, 1}, {-2, 1}, {3, 3}}), "a size is -2 (sizes are finite and not negative)");
  EXPECT_EQ(refusal({{1, 1}, {2, std::numeric_limits<double>::infinity()}, {3, 3}}),
            "the time at size 2 is inf s (times are finite and more than 0)");
  EXPECT_EQ(refusal({{std::nan(""), 1}}), "a size is nan (sizes are finite and not negative)");
}

TEST(Fit, OfEachKindGoesThroughALineWithoutNoise) {
  std::vector<Sample> samples;
  for (const double size : {0.0, 100.0, 200.0, 500.0}) samples.push_back({size, 2e-6 + 3e-9 * size});
  for (const FitInfo& info : fits()) {
    SCOPED_TRACE(info.name);
    const Curve curve = fit_curve(info.name, samples);
    ASSERT_EQ(curve.segments().size(), 1U);
    EXPECT_NEAR(curve.segments()[0].c_s, 3e-9, 3e-18);
    EXPECT_NEAR(curve.segments()[0].k_s, 2e-6, 2e-15);
    EXPECT_DOUBLE_EQ(curve.first_size(), 0);
    EXPECT_DOUBLE_EQ(curve.last_size(), 500);
  }
}

}  // namespace
}  // namespace loadshare::communication::test
