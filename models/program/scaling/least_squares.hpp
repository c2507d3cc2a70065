#pragma once

#include <Eigen/Dense>
#include <vector>

namespace loadshare::scaling {

/// The columns that took part, and their coefficients, each above 0.
struct Solution {
  std::vector<Eigen::Index> columns;
  Eigen::VectorXd coefficients;
};

/// Least squares of columns * x = 1 with x >= 0, the least there is (Lawson and Hanson, "Solving Least
/// Squares Problems", 1974, chapter 23). Columns that depend on those before them are left out. `columns`:
/// observations x terms, each row divided by what was observed, so that errors are relative.
Solution solve_relative(const Eigen::MatrixXd& columns);

/// The logarithms of what each row adds up to where it is solved by the others, root mean square: how well
/// such terms predict a setting that was left out (1 is what they should add up to). Infinite where a row's
/// others give it nothing. `columns`: at most three.
double cross_validated_error(const Eigen::MatrixXd& columns);

}  // namespace loadshare::scaling
