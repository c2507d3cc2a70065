#include "apps/cannon/freivalds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace loadshare::cannon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

TEST(Freivalds, SignsAreOfEitherSignAndNeverSmall) {
  const std::vector<double> x = random_signs(1000, 1);
  Index negative = 0;
  for (const double value : x) {
    EXPECT_GE(std::abs(value), 0.5);
    EXPECT_LT(std::abs(value), 1);
    negative += value < 0 ? 1 : 0;
  }
  EXPECT_GT(negative, 400);
  EXPECT_LT(negative, 600);
  EXPECT_NE(x, random_signs(1000, 2));
}

TEST(Freivalds, ProductsAndTheirMagnitudesAreAdded) {
  const std::vector<double> block{1, -2, 3, 4};
  const std::vector<double> x{10, 1}, x_bounds{20, 2};
  std::vector<double> sums{100, 0}, bounds{0, 1};
  add_products(block, x, x_bounds, sums, bounds);
  EXPECT_THAT(sums, ElementsAre(108, 34));
  EXPECT_THAT(bounds, ElementsAre(24, 69));
}

TEST(Freivalds, MoreThanRoundingIsADifference) {
  constexpr Index size = 100;
  const double limit = (3 * size + 16) * unit_roundoff * 50;
  const std::vector<double> bounds{50, 50, 50, 50, 50};
  const std::vector<double> differences{0.99 * limit, -0.99 * limit, 1.01 * limit, -1.01 * limit,
                                        std::nan("")};
  EXPECT_THAT(differing_rows(differences, bounds, size), ElementsAre(2, 3, 4));
  EXPECT_THAT(differing_rows(std::vector<double>{0}, std::vector<double>{0}, size), IsEmpty());
}

}  // namespace
}  // namespace loadshare::cannon
