#include "models/program/scaling/variance_function.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "models/program/scaling/least_squares.hpp"

namespace loadshare::scaling {
namespace {

using Samples = std::span<const VarianceSample>;
/// Of the mean, in the parts that a function may have.
using Powers = std::vector<int>;

/// Of several samples together, each by how well it is known.
double pooled_relative_variance(Samples samples) {
  double sum = 0;
  double freedom = 0;
  for (const VarianceSample& sample : samples) {
    sum += sample.freedom * sample.variance / (sample.mean * sample.mean);
    freedom += sample.freedom;
  }
  return freedom > 0 ? sum / freedom : 0;
}

/// Fits functions of some parts to samples of which one at least varies.
class Fits final {
 public:
  explicit Fits(Samples samples) : samples_(samples), pooled_(pooled_relative_variance(samples)) {}

  VarianceFunction best() const {
    VarianceFunction best = fit({2});
    const VarianceFunction full = fit({2, 1, 0});
    const double price = 2 * dispersion(full);  // Akaike's, of each further part
    double least = deviance(best);
    const auto take_if_better = [&](const VarianceFunction& other, int parts) {
      const double cost = deviance(other) + parts * price;
      if (cost >= least) return;
      best = other;
      least = cost;
    };
    take_if_better(fit({2, 0}), 1);
    take_if_better(fit({2, 1}), 1);
    take_if_better(full, 2);
    return best;
  }

 private:
  double expected(const VarianceFunction& function, const VarianceSample& sample) const {
    constexpr double least_share = 1e-6;  // of all together: a variance of 0 would decide everything
    const double relative = std::max(least_share * pooled_, function.relative_at(sample.mean));
    return sample.known + sample.mean * sample.mean * relative;
  }

  VarianceFunction fit(const Powers& powers) const {
    constexpr int steps = 30;
    VarianceFunction function{0, 0, pooled_};
    for (int step = 0; step < steps; ++step) function = fit_again(powers, function);
    return function;
  }

  /// Least squares with the variances that `last` expects.
  VarianceFunction fit_again(const Powers& powers, const VarianceFunction& last) const {
    const auto rows = static_cast<Eigen::Index>(samples_.size());
    Eigen::MatrixXd columns(rows, static_cast<Eigen::Index>(powers.size()));
    Eigen::VectorXd targets(rows);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const VarianceSample& sample = samples_[static_cast<std::size_t>(row)];
      const double weight = std::sqrt(sample.freedom) / expected(last, sample);
      for (Eigen::Index i = 0; i < columns.cols(); ++i)
        columns(row, i) = weight * std::pow(sample.mean, powers[static_cast<std::size_t>(i)]);
      targets[row] = weight * (sample.variance - sample.known);
    }
    const Solution solution = solve(columns, targets);
    VarianceFunction function;
    for (std::size_t i = 0; i < solution.columns.size(); ++i) {
      const int power = powers[static_cast<std::size_t>(solution.columns[i])];
      double& part = power == 0 ? function.constant : power == 1 ? function.of_mean : function.of_square;
      part = solution.coefficients[static_cast<Eigen::Index>(i)];
    }
    return function;
  }

  /// Twice the logarithm of how unlikely the samples are, but for a constant.
  double deviance(const VarianceFunction& function) const {
    double sum = 0;
    for (const VarianceSample& sample : samples_) {
      const double variance = expected(function, sample);
      sum += sample.freedom * (std::log(variance) + sample.variance / variance);
    }
    return sum;
  }

  /// How much more the samples lie apart than normal values' do, as those of rare long stops: what is
  /// likelier by chance is so by as much more. At least 1.
  double dispersion(const VarianceFunction& full) const {
    constexpr std::size_t parts = 3;
    if (samples_.size() <= parts) return 1;
    double squares = 0;
    for (const VarianceSample& sample : samples_) {
      const double off = sample.variance / expected(full, sample) - 1;
      squares += sample.freedom / 2 * off * off;
    }
    return std::max(1.0, squares / static_cast<double>(samples_.size() - parts));
  }

  Samples samples_;
  double pooled_;
};

}  // namespace

double VarianceFunction::relative_at(double mean) const {
  return constant / (mean * mean) + of_mean / mean + of_square;
}

VarianceFunction fit_variance(std::span<const VarianceSample> samples) {
  const bool varies = std::ranges::any_of(samples, [](const auto& sample) { return sample.variance > 0; });
  return varies ? Fits(samples).best() : VarianceFunction{};
}

}  // namespace loadshare::scaling
