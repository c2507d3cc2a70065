#include "base/statistics.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.hpp"

namespace loadshare {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  std::ranges::sort(values);
  return values;
}

/// Returns the largest k with P(Binomial(n, 1/2) < k) <= tail, or 0. Uses logarithms because 2^-n underflows.
std::size_t order_of(std::size_t n, double tail) {
  const double count = static_cast<double>(n);
  double below = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    const double chosen = static_cast<double>(k);
    below += std::exp(std::lgamma(count + 1) - std::lgamma(chosen + 1) - std::lgamma(count - chosen + 1) -
                      count * std::log(2.0));
    if (below > tail) return k;
  }
  return n;
}

}  // namespace

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::span<const double> values) {
  return quantile_of(values, 0.5);
}

double quantile_of(std::span<const double> values, double share) {
  if (values.empty()) throw UsageError("there are no runs", "a median takes at least one");
  const std::vector<double> in_order = sorted(values);
  const double place = share * static_cast<double>(in_order.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, in_order.size() - 1);
  return std::lerp(in_order[below], in_order[above], place - static_cast<double>(below));
}

double middle_deviation_of(std::span<const double> values) {
  return (quantile_of(values, 0.84) - quantile_of(values, 0.16)) / 2;
}

double standard_deviation_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Interval prediction_interval(std::span<const double> samples) {
  constexpr double outside = 0.05;  // on each side
  const auto count = static_cast<double>(samples.size());
  if (const double place = outside * (count + 1); place >= 1) {
    const double share = (place - 1) / (count - 1);
    return {quantile_of(samples, share), quantile_of(samples, 1 - share)};
  }
  const Interval outermost{quantile_of(samples, 0), quantile_of(samples, 1)};
  if (samples.size() < 2 || outermost.low <= 0) return outermost;
  std::vector<double> logarithms;
  for (const double sample : samples) logarithms.push_back(std::log(sample));
  const double mean = mean_of(logarithms);
  const double reach =
      students_t_95(samples.size() - 1) * standard_deviation_of(logarithms) * std::sqrt(1 + 1 / count);
  return {std::exp(mean - reach), std::exp(mean + reach)};
}

Line LineSums::line() const {
  constexpr double least_spread = 1e-9;
  const double spread = n * xx - x * x;
  if (!(spread > least_spread * n * xx)) return {y / n, 0};
  const double slope = (n * xy - x * y) / spread;
  return {(y - slope * x) / n, slope};
}

Line LineSums::rising_line() const {
  const Line best = line();
  if (best.slope <= 0) return {y / n, 0};
  return best.start >= 0 ? best : Line{0, xy / xx};
}

std::optional<Interval> median_interval(std::span<const double> samples, double error) {
  const std::size_t k = order_of(samples.size(), error / 2);
  if (k == 0) return std::nullopt;
  const std::vector<double> in_order = sorted(samples);
  return Interval{in_order[k - 1], in_order[in_order.size() - k]};
}

}  // namespace loadshare
