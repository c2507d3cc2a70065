#pragma once

#include <Eigen/Dense>
#include <vector>

namespace loadshare::scaling {

/// The columns that took part, and their coefficients, each above 0.
struct Solution {
  std::vector<Eigen::Index> columns;
  Eigen::VectorXd coefficients;
};

/// Least squares of columns * x = 1 with x >= 0, by leaving out the most negative coefficient's column until
/// none is negative. Columns that depend on each other are left out, too. `columns`: observations x terms,
/// each row divided by what was observed, so that errors are relative.
Solution solve_relative(const Eigen::MatrixXd& columns);

}  // namespace loadshare::scaling
