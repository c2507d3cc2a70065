#pragma once

#include <Eigen/Dense>
#include <vector>

namespace loadshare::scaling {

/// The columns that took part, and their coefficients, each above 0.
struct Solution {
  std::vector<Eigen::Index> columns;
  Eigen::VectorXd coefficients;
};

/// Least squares of columns * x = targets with x >= 0, the least there is (Lawson and Hanson, "Solving Least
/// Squares Problems", 1974, chapter 23). Columns that depend on those before them are left out. `columns`:
/// observations x terms; `targets`: what each row should add up to, of the order of 1.
Solution solve(const Eigen::MatrixXd& columns, const Eigen::VectorXd& targets);

/// The logarithms of what each row adds up to where it is solved by the others, times its weight, root mean
/// square: how well such terms predict a setting that was left out. Infinite where a row's others give it
/// nothing. `columns`: at most three, each row divided by what was observed, so that it should add up to 1
/// and errors are relative; `weights`: of the rows, inverse standard deviations. A row of weight 0 is one
/// where nothing was observed, divided by what is negligible: it is not solved by, nor counted, and what it
/// adds up to beyond 1 is an error of at most a tenth.
double cross_validated_error(const Eigen::MatrixXd& columns, const Eigen::VectorXd& weights);

}  // namespace loadshare::scaling
