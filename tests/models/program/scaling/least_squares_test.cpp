#include "models/program/scaling/least_squares.hpp"

#include <gmock/gmock.h>

namespace loadshare::scaling {
namespace {

using testing::ElementsAre;

TEST(LeastSquaresTest, SolvesWhatHasASolution) {
  // t = 3 n + 10 at n = 1, 2, 5, each row divided by t.
  Eigen::MatrixXd columns(3, 2);
  columns << 1.0 / 13, 1.0 / 13, 2.0 / 16, 1.0 / 16, 5.0 / 25, 1.0 / 25;
  const Solution solution = solve_relative(columns);
  ASSERT_THAT(solution.columns, ElementsAre(0, 1));
  EXPECT_NEAR(solution.coefficients[0], 3, 1e-12);
  EXPECT_NEAR(solution.coefficients[1], 10, 1e-12);
}

TEST(LeastSquaresTest, LeavesOutWhatWouldBeNegative) {
  // t = 4 n - 2 at n = 1, 2, 3: with a coefficient of at least 0 nothing but c n is left.
  Eigen::MatrixXd columns(3, 2);
  columns << 1.0 / 2, 1.0 / 2, 2.0 / 6, 1.0 / 6, 3.0 / 10, 1.0 / 10;
  const Solution solution = solve_relative(columns);
  ASSERT_THAT(solution.columns, ElementsAre(0));
  // c = sum(x) / sum(x^2) with x = 1/2, 1/3, 3/10.
  EXPECT_NEAR(solution.coefficients[0], (0.5 + 1 / 3.0 + 0.3) / (0.25 + 1 / 9.0 + 0.09), 1e-12);
}

TEST(LeastSquaresTest, LeavesOutAColumnThatSaysNothingNew) {
  Eigen::MatrixXd columns(3, 2);
  columns << 1, 2, 2, 4, 3, 6;
  const Solution solution = solve_relative(columns);
  EXPECT_EQ(solution.columns.size(), 1);
}

TEST(LeastSquaresTest, LeavesOutColumnsOfZeros) {
  // log2(p) and 1 where p was 1 in three runs: seen relative to 2, 2 and 4.
  Eigen::MatrixXd columns(3, 2);
  columns << 0, 0.5, 0, 0.5, 0, 0.5;
  const Solution solution = solve_relative(columns);
  EXPECT_EQ(solution.columns, (std::vector<Eigen::Index>{1}));
  EXPECT_NEAR(solution.coefficients[0], 2, 1e-12);
}

}  // namespace
}  // namespace loadshare::scaling
