#include "experiments/sweep/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace loadshare::sweep {
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

double middle(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

double median(std::span<const double> samples) {
  return middle(sorted(samples));
}

std::optional<Interval> median_interval(std::span<const double> samples) {
  const std::size_t k = order_of(samples.size());
  if (k == 0) return std::nullopt;
  const std::vector<double> values = sorted(samples);
  return Interval{values[k - 1], values[values.size() - k]};
}

bool is_enough(const Repeat& repeat, std::span<const double> samples) {
  const auto count = static_cast<Index>(samples.size());
  if (count < repeat.at_least) return false;
  if (count >= repeat.at_most) return true;
  const auto interval = median_interval(samples);
  if (!interval) return false;
  const double reach = repeat.within * median(samples);
  return median(samples) - interval->low <= reach && interval->high - median(samples) <= reach;
}

}  // namespace loadshare::sweep
