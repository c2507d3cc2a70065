#include "models/program/scaling/scatter.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "models/program/scaling/least_squares.hpp"

namespace loadshare::scaling {
namespace {

/// Of several samples together, each by how well it is known.
double mean_relative_variance(std::span<const SpreadSample> samples) {
  double sum = 0;
  double freedom = 0;
  for (const SpreadSample& sample : samples) {
    sum += sample.freedom * sample.variance / (sample.mean * sample.mean);
    freedom += sample.freedom;
  }
  return freedom > 0 ? sum / freedom : 0;
}

/// One step of the iteration: least squares with the variances that `last` expects.
Scatter fit_again(std::span<const SpreadSample> samples, const Scatter& last, double least_relative) {
  const auto rows = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd columns(rows, 3);
  Eigen::VectorXd targets(rows);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const SpreadSample& sample = samples[static_cast<std::size_t>(row)];
    const double square = sample.mean * sample.mean;
    const double expected = square * std::max(least_relative, last.relative_variance_at(sample.mean));
    const double weight = std::sqrt(sample.freedom) / expected;
    // Where the samples cannot tell the parts apart the first is taken.
    columns.row(row) << weight * square, weight * sample.mean, weight;
    targets[row] = weight * sample.variance;
  }
  const Solution solution = solve(columns, targets);
  std::array<double, 3> parts{};
  for (std::size_t i = 0; i < solution.columns.size(); ++i)
    parts.at(static_cast<std::size_t>(solution.columns[i])) =
        solution.coefficients[static_cast<Eigen::Index>(i)];
  return {parts[2], parts[1], parts[0]};
}

}  // namespace

double Scatter::relative_variance_at(double mean) const {
  return constant / (mean * mean) + of_mean / mean + of_square;
}

Scatter fit_scatter(std::span<const SpreadSample> samples) {
  constexpr int steps = 30;
  constexpr double least_share = 1e-6;  // of the mean: a variance of 0 would decide everything
  const double mean = mean_relative_variance(samples);
  Scatter scatter{0, 0, mean};
  for (int step = 0; step < steps && mean > 0; ++step)
    scatter = fit_again(samples, scatter, least_share * mean);
  return scatter;
}

}  // namespace loadshare::scaling
