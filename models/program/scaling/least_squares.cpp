#include "models/program/scaling/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace loadshare::scaling {
namespace {

using Columns = std::vector<Eigen::Index>;

/// Lawson and Hanson's active set: columns come in one by one, that with the steepest descent first, and
/// leave where a solution of those that are in would make them negative.
class ActiveSet final {
 public:
  ActiveSet(const Eigen::MatrixXd& columns, const Eigen::VectorXd& targets)
      : columns_(columns), targets_(targets), coefficients_(Eigen::VectorXd::Zero(columns.cols())) {}

  Solution solved() {
    take_all_at_once();
    while (const auto next = steepest()) {
      used_.push_back(*next);
      if (!settle()) refuse(*next);
    }
    Solution solution;
    solution.columns = used_;
    std::ranges::sort(solution.columns);
    solution.coefficients = coefficients_(solution.columns);
    return solution;
  }

 private:
  /// Mostly nothing is negative where all take part.
  void take_all_at_once() {
    if (columns_.cols() == 0 || columns_.colwise().squaredNorm().minCoeff() == 0) return;
    for (Eigen::Index column = 0; column < columns_.cols(); ++column) used_.push_back(column);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition(columns_);
    const bool is_full = decomposition.rank() == columns_.cols();
    const Eigen::VectorXd wanted = is_full ? Eigen::VectorXd(decomposition.solve(targets_)) : coefficients_;
    if (is_full && wanted.minCoeff() > 0)
      take(wanted);
    else
      used_.clear();
  }

  bool is_used(Eigen::Index column) const { return std::ranges::find(used_, column) != used_.end(); }

  /// Nothing where no column would bring the sums nearer to their targets.
  std::optional<Eigen::Index> steepest() const {
    constexpr double flat = 1e-12;
    const Eigen::VectorXd missing = targets_ - columns_ * coefficients_;
    const Eigen::VectorXd slopes = columns_.transpose() * missing;
    std::optional<Eigen::Index> best;
    for (Eigen::Index column = 0; column < columns_.cols(); ++column)
      if (!is_used(column) && !refused_.contains(column) &&
          slopes[column] > (best ? slopes[*best] : flat * static_cast<double>(columns_.rows())))
        best = column;
    return best;
  }

  /// Whether those in use have a solution that is nowhere negative, if need be without some of them.
  bool settle() {
    const Eigen::Index last = used_.back();
    while (true) {
      const Eigen::MatrixXd part = columns_(Eigen::all, used_);
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition(part);
      if (decomposition.rank() < part.cols()) return false;
      const Eigen::VectorXd wanted = decomposition.solve(targets_);
      if (wanted.minCoeff() > 0) return take(wanted);
      if (wanted[wanted.size() - 1] <= 0 && used_.back() == last && coefficients_[last] == 0) return false;
      step_towards(wanted);
    }
  }

  bool take(const Eigen::VectorXd& wanted) {
    coefficients_.setZero();
    coefficients_(used_) = wanted;
    return true;
  }

  /// As far as nothing is negative; what is 0 there leaves.
  void step_towards(const Eigen::VectorXd& wanted) {
    const Eigen::VectorXd now = coefficients_(used_);
    double share = 1;
    for (Eigen::Index i = 0; i < now.size(); ++i)
      if (wanted[i] <= 0) share = std::min(share, now[i] / (now[i] - wanted[i]));
    coefficients_(used_) = now + share * (wanted - now);
    Columns left;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      double& coefficient = coefficients_[used_[i]];
      const bool leaves = wanted[static_cast<Eigen::Index>(i)] <= 0 && coefficient <= smallest;
      if (leaves) coefficient = 0;
      if (!leaves) left.push_back(used_[i]);
    }
    used_ = left;
  }

  /// It says nothing that the others do not.
  void refuse(Eigen::Index column) {
    std::erase(used_, column);
    coefficients_[column] = 0;
    refused_.insert(column);
  }

  static constexpr double smallest = 1e-14;
  const Eigen::MatrixXd& columns_;
  const Eigen::VectorXd& targets_;
  Eigen::VectorXd coefficients_;
  Columns used_;
  std::set<Eigen::Index> refused_;
};

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;

/// The least squares of up to three columns by their products, none of them negative: the best of all choices
/// of columns. Some digits worse than by the columns themselves, and quick.
SmallVector solve_products(const Small& products, const SmallVector& sums) {
  constexpr double dependent = 1e-13;
  SmallVector best = SmallVector::Zero(sums.size());
  double best_gain = 0;
  const unsigned all = (1U << sums.size()) - 1;
  for (unsigned choice = all; choice > 0; --choice) {
    SmallVector some = SmallVector::Zero(sums.size());
    Small square = Small::Identity(sums.size(), sums.size());
    for (Eigen::Index i = 0; i < sums.size(); ++i) {
      if ((choice >> i & 1U) == 0) continue;
      some[i] = sums[i];
      for (Eigen::Index j = 0; j < sums.size(); ++j)
        if ((choice >> j & 1U) != 0) square(i, j) = products(i, j);
    }
    const Eigen::LDLT<Small> decomposition(square);
    if (decomposition.vectorD().minCoeff() <= dependent) continue;
    const SmallVector solution = decomposition.solve(some);
    const double gain = solution.dot(some);
    if (solution.minCoeff() < 0 || gain <= best_gain) continue;
    best = solution;
    best_gain = gain;
    if (choice == all) break;  // the least squares of all columns, if they are allowed
  }
  return best;
}

/// What each column is divided by to be of length 1, rows counted by their weights.
Eigen::VectorXd lengths_of(const Eigen::MatrixXd& columns, const Eigen::VectorXd& weights) {
  Eigen::VectorXd lengths = (weights.asDiagonal() * columns).colwise().norm();
  for (double& length : lengths)
    if (length == 0) length = 1;
  return lengths;
}

/// Of what a row adds up to. Where nothing was seen only what is more than negligible is wrong, and however
/// wrong, it is one setting among others, whose logarithms are far smaller.
double squared_error(double sum, double weight) {
  constexpr double most_of_nothing = 0.1;
  const double error = weight > 0 ? weight * std::log(sum) : std::clamp(std::log(sum), 0.0, most_of_nothing);
  return error * error;
}

double root_mean_square(double squares, const Eigen::VectorXd& weights) {
  return std::sqrt(squares / static_cast<double>(std::max<Eigen::Index>(1, (weights.array() > 0).count())));
}

double error_by_products(const Eigen::MatrixXd& columns, const Eigen::VectorXd& weights) {
  const Eigen::MatrixXd weighted = weights.asDiagonal() * columns;
  const Small products = weighted.transpose() * weighted;
  const SmallVector sums = weighted.transpose() * weights;
  double squares = 0;
  for (Eigen::Index row = 0; row < columns.rows(); ++row) {
    const SmallVector own = weighted.row(row);
    const SmallVector solution = solve_products(products - own * own.transpose(), sums - weights[row] * own);
    squares += squared_error(columns.row(row).dot(solution), weights[row]);
  }
  return root_mean_square(squares, weights);
}

Eigen::MatrixXd without_row(const Eigen::MatrixXd& matrix, Eigen::Index row) {
  Eigen::MatrixXd others(matrix.rows() - 1, matrix.cols());
  others << matrix.topRows(row), matrix.bottomRows(matrix.rows() - row - 1);
  return others;
}

double error_by_columns(const Eigen::MatrixXd& columns, const Eigen::VectorXd& weights) {
  const Eigen::MatrixXd weighted = weights.asDiagonal() * columns;
  double squares = 0;
  for (Eigen::Index row = 0; row < columns.rows(); ++row) {
    const Solution solution = solve(without_row(weighted, row), without_row(weights, row));
    double sum = 0;
    for (std::size_t i = 0; i < solution.columns.size(); ++i)
      sum += columns(row, solution.columns[i]) * solution.coefficients[static_cast<Eigen::Index>(i)];
    squares += squared_error(sum, weights[row]);
  }
  return root_mean_square(squares, weights);
}

}  // namespace

Solution solve(const Eigen::MatrixXd& columns, const Eigen::VectorXd& targets) {
  // Terms differ by many powers of ten; of equal length no column looks like noise. One may be 0 wherever
  // something was seen, as log2(p) is on one rank: nothing tells its coefficient, and it is never steep.
  const Eigen::VectorXd lengths = lengths_of(columns, Eigen::VectorXd::Ones(columns.rows()));
  const Eigen::MatrixXd level = columns * lengths.cwiseInverse().asDiagonal();
  Solution solution = ActiveSet(level, targets).solved();
  for (std::size_t i = 0; i < solution.columns.size(); ++i)
    solution.coefficients[static_cast<Eigen::Index>(i)] /= lengths[solution.columns[i]];
  return solution;
}

/// Whether a law is exact the products do not tell.
double cross_validated_error(const Eigen::MatrixXd& columns, const Eigen::VectorXd& weights) {
  constexpr double surely_not_exact = 1e-6;
  const Eigen::MatrixXd level = columns * lengths_of(columns, weights).cwiseInverse().asDiagonal();
  const double error = error_by_products(level, weights);
  return error > surely_not_exact ? error : error_by_columns(columns, weights);
}

}  // namespace loadshare::scaling
