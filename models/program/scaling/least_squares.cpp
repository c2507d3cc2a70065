#include "models/program/scaling/least_squares.hpp"

namespace loadshare::scaling {

namespace {

Eigen::MatrixXd chosen(const Eigen::MatrixXd& columns, const std::vector<Eigen::Index>& which) {
  Eigen::MatrixXd part(columns.rows(), static_cast<Eigen::Index>(which.size()));
  for (std::size_t i = 0; i < which.size(); ++i)
    part.col(static_cast<Eigen::Index>(i)) = columns.col(which[i]);
  return part;
}

}  // namespace

Solution solve_relative(const Eigen::MatrixXd& columns) {
  Solution solution;
  // A term may be 0 wherever something was seen, as log2(p) is on one rank: nothing tells its coefficient.
  for (Eigen::Index column = 0; column < columns.cols(); ++column)
    if (!columns.col(column).isZero(0)) solution.columns.push_back(column);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(columns.rows());
  while (!solution.columns.empty()) {
    // Terms differ by many powers of ten; of equal length no column looks like noise.
    Eigen::MatrixXd part = chosen(columns, solution.columns);
    const Eigen::VectorXd lengths = part.colwise().norm();
    part.array().rowwise() /= lengths.transpose().array();
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition(part);
    Eigen::Index worst = 0;
    if (decomposition.rank() < part.cols()) {
      worst = decomposition.colsPermutation().indices()[decomposition.rank()];
    } else {
      solution.coefficients = decomposition.solve(ones).array() / lengths.array();
      if (solution.coefficients.minCoeff(&worst) > 0) return solution;
    }
    solution.columns.erase(solution.columns.begin() + worst);
  }
  solution.coefficients.resize(0);
  return solution;
}

}  // namespace loadshare::scaling
