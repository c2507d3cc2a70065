#include "models/program/scaling/least_squares.hpp"

#include <gmock/gmock.h>

namespace loadshare::scaling {
namespace {

using testing::ElementsAre;

TEST(LeastSquaresTest, SolvesASolvableSystem) {
  // t = 3 n + 10 at n = 1, 2, 5, each row divided by t.
  Eigen::MatrixXd columns(3, 2);
  columns << 1.0 / 13, 1.0 / 13, 2.0 / 16, 1.0 / 16, 5.0 / 25, 1.0 / 25;
  const Solution solution = solve(columns, Eigen::VectorXd::Ones(columns.rows()));
  ASSERT_THAT(solution.columns, ElementsAre(0, 1));
  EXPECT_NEAR(solution.coefficients[0], 3, 1e-12);
  EXPECT_NEAR(solution.coefficients[1], 10, 1e-12);
}

TEST(LeastSquaresTest, LeavesOutNegativeCoefficients) {
  // t = 4 n - 2 at n = 1, 2, 3: with a coefficient of at least 0 nothing but c n is left.
  Eigen::MatrixXd columns(3, 2);
  columns << 1.0 / 2, 1.0 / 2, 2.0 / 6, 1.0 / 6, 3.0 / 10, 1.0 / 10;
  const Solution solution = solve(columns, Eigen::VectorXd::Ones(columns.rows()));
  ASSERT_THAT(solution.columns, ElementsAre(0));
  // c = sum(x) / sum(x^2) with x = 1/2, 1/3, 3/10.
  EXPECT_NEAR(solution.coefficients[0], (0.5 + 1 / 3.0 + 0.3) / (0.25 + 1 / 9.0 + 0.09), 1e-12);
}

TEST(LeastSquaresTest, LeavesOutADependentColumn) {
  Eigen::MatrixXd columns(3, 2);
  columns << 1, 2, 2, 4, 3, 6;
  const Solution solution = solve(columns, Eigen::VectorXd::Ones(columns.rows()));
  EXPECT_EQ(solution.columns.size(), 1);
}

/// The least there is, not what leaving out the most negative column leads to: by all choices of columns.
TEST(LeastSquaresTest, IsTheLeastOfAllChoices) {
  std::srand(3);
  for (int round = 0; round < 300; ++round) {
    const Eigen::MatrixXd columns = Eigen::MatrixXd::Random(6, 4).array() + 0.3;
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(6);
    double least = ones.squaredNorm();
    for (unsigned choice = 1; choice < 16; ++choice) {
      std::vector<Eigen::Index> some;
      for (Eigen::Index i = 0; i < 4; ++i)
        if ((choice >> i & 1U) != 0) some.push_back(i);
      const Eigen::MatrixXd part = columns(Eigen::all, some);
      const Eigen::VectorXd by_part = part.colPivHouseholderQr().solve(ones);
      if (by_part.minCoeff() >= 0) least = std::min(least, (ones - part * by_part).squaredNorm());
    }
    const Solution solution = solve(columns, Eigen::VectorXd::Ones(columns.rows()));
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(6);
    for (std::size_t i = 0; i < solution.columns.size(); ++i)
      sum += columns.col(solution.columns[i]) * solution.coefficients[static_cast<Eigen::Index>(i)];
    EXPECT_NEAR((ones - sum).squaredNorm(), least, 1e-9);
  }
}

TEST(LeastSquaresTest, LeavesOutColumnsOfZeros) {
  // log2(p) and 1 where p was 1 in three runs: seen relative to 2, 2 and 4.
  Eigen::MatrixXd columns(3, 2);
  columns << 0, 0.5, 0, 0.5, 0, 0.5;
  const Solution solution = solve(columns, Eigen::VectorXd::Ones(columns.rows()));
  EXPECT_EQ(solution.columns, (std::vector<Eigen::Index>{1}));
  EXPECT_NEAR(solution.coefficients[0], 2, 1e-12);
}

}  // namespace
}  // namespace loadshare::scaling
