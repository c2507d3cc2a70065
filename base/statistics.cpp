#include "base/statistics.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/error.hpp"

namespace loadshare {
namespace {

constexpr double tail = 0.025;

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  std::ranges::sort(values);
  return values;
}

/// The largest k with P(Binomial(n, 1/2) < k) <= tail; 0: none. In logarithms, since 2^-n leaves no double.
std::size_t order_of(std::size_t n) {
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

/// The share of Student's t between -t and t. (Abramowitz and Stegun 26.7.3 and 26.7.4)
double share_within(double t, std::size_t freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const bool is_odd = freedom % 2 == 1;
  double term = is_odd ? std::cos(angle) : 1, sum = freedom == 1 ? 0 : term;
  for (std::size_t k = is_odd ? 3 : 2; k + 2 <= freedom; k += 2) {
    term *= static_cast<double>(k - 1) / static_cast<double>(k) * std::cos(angle) * std::cos(angle);
    sum += term;
  }
  const double within = std::sin(angle) * sum;
  return is_odd ? 2 / std::numbers::pi * (angle + within) : within;
}

}  // namespace

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
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double students_t_within(double share, std::size_t freedom) {
  double below = 0, above = 1;
  while (share_within(above, freedom) < share && above < std::numeric_limits<double>::max() / 2) above *= 2;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (below + above) / 2;
    (share_within(middle, freedom) < share ? below : above) = middle;
  }
  return above;
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

std::optional<Interval> median_interval(std::span<const double> samples) {
  const std::size_t k = order_of(samples.size());
  if (k == 0) return std::nullopt;
  const std::vector<double> in_order = sorted(samples);
  return Interval{in_order[k - 1], in_order[in_order.size() - k]};
}

}  // namespace loadshare
