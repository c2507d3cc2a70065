#include "models/program/scaling/least_squares.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace loadshare::scaling {
namespace {

using Columns = std::vector<Eigen::Index>;

/// Lawson and Hanson's active set: columns come in one by one, that with the steepest descent first, and
/// leave where a solution of those that are in would make them negative.
class ActiveSet final {
 public:
  explicit ActiveSet(const Eigen::MatrixXd& columns)
      : columns_(columns), coefficients_(Eigen::VectorXd::Zero(columns.cols())) {}

  Solution solved() {
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
  bool is_used(Eigen::Index column) const { return std::ranges::find(used_, column) != used_.end(); }

  /// Nothing where no column would bring the sum nearer to 1.
  std::optional<Eigen::Index> steepest() const {
    constexpr double flat = 1e-12;
    const Eigen::VectorXd missing = Eigen::VectorXd::Ones(columns_.rows()) - columns_ * coefficients_;
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
      const Eigen::VectorXd wanted = decomposition.solve(Eigen::VectorXd::Ones(part.rows()));
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
  Eigen::VectorXd coefficients_;
  Columns used_;
  std::set<Eigen::Index> refused_;
};

}  // namespace

Solution solve_relative(const Eigen::MatrixXd& columns) {
  // Terms differ by many powers of ten; of equal length no column looks like noise. One may be 0 wherever
  // something was seen, as log2(p) is on one rank: nothing tells its coefficient, and it is never steep.
  const Eigen::VectorXd lengths = columns.colwise().norm();
  Eigen::MatrixXd level = columns;
  for (Eigen::Index column = 0; column < columns.cols(); ++column)
    if (lengths[column] > 0) level.col(column) /= lengths[column];
  Solution solution = ActiveSet(level).solved();
  for (std::size_t i = 0; i < solution.columns.size(); ++i)
    solution.coefficients[static_cast<Eigen::Index>(i)] /= lengths[solution.columns[i]];
  return solution;
}

}  // namespace loadshare::scaling
