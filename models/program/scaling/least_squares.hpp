#pragma once

#include <Eigen/Dense>
#include <vector>

namespace loadshare::scaling {

/// The columns that took part, and their coefficients, each above 0.
struct Solution {
  std::vector<Eigen::Index> columns;
  Eigen::VectorXd coefficients;
};

/// Least squares of columns * x = 1 with x >= 0, the least there is (Lawson and Hanson, "Solving Least Squares
/// Problems", 1974, chapter 23). Columns that depend on those before them are left out. `columns`:
/// observations x terms, each row divided by what was observed, so that errors are relative.
Solution solve_relative(const Eigen::MatrixXd& columns);

}  // namespace loadshare::scaling
