#include "base/paired_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/error.hpp"

namespace loadshare {
namespace {

using Laws = std::array<std::vector<double>, most_ranked + 1>;

/// Returns P(V = v) with one more difference, which has rank `rank` and is above 0 in half of the cases.
std::vector<double> with_rank(const std::vector<double>& shares, std::size_t rank) {
  std::vector<double> all(shares.size() + rank);
  for (std::size_t v = 0; v < shares.size(); ++v) {
    all[v] += shares[v] / 2;
    all[v + rank] += shares[v] / 2;
  }
  return all;
}

std::vector<double> lower_half(const std::vector<double>& shares) {
  std::vector<double> below{0};
  for (std::size_t v = 0; 2 * v < shares.size(); ++v) below.push_back(below.back() + shares[v]);
  return below;
}

Laws all_laws() {
  Laws laws;
  std::vector<double> shares{1};
  for (std::size_t count = 0; count <= most_ranked; ++count) {
    if (count > 0) shares = with_rank(shares, count);
    laws[count] = lower_half(shares);
  }
  return laws;
}

void require_numbers(std::span<const double> differences) {
  if (differences.empty()) throw UsageError("there are no pairs", "a comparison takes at least one");
  for (const double difference : differences)
    if (!std::isfinite(difference))
      throw UsageError("a difference is no number", "pairs are compared by their differences");
}

std::vector<double> grouped(std::span<const double> differences) {
  const std::size_t count = differences.size(), groups = std::min(count, most_ranked);
  std::vector<double> means;
  for (std::size_t i = 0; i < groups; ++i) {
    const auto group = differences.subspan(i * count / groups, (i + 1) * count / groups - i * count / groups);
    means.push_back(std::accumulate(group.begin(), group.end(), 0.0) / static_cast<double>(group.size()));
  }
  return means;
}

}  // namespace

const std::vector<double>& signed_rank_law(std::size_t count) {
  static const Laws laws = all_laws();
  return laws.at(count);
}

std::size_t fewest_ranked(double error) {
  std::size_t count = 1;
  for (double least_p = 1; least_p > error; least_p /= 2) ++count;
  return count;
}

SignedRanks::SignedRanks(std::span<const double> differences) {
  require_numbers(differences);
  const std::vector<double> ranked = grouped(differences);
  count_ = ranked.size();
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t j = 0; j <= i; ++j) averages_.push_back((ranked[i] + ranked[j]) / 2);
  std::ranges::sort(averages_);
}

double SignedRanks::centre() const {
  return median_of(averages_);
}

double SignedRanks::p_value() const {
  // V is the number of averages above 0 (Tukey).
  const auto not_above = std::ranges::upper_bound(averages_, 0.0) - averages_.begin();
  const auto not_below = averages_.end() - std::ranges::lower_bound(averages_, 0.0);
  const auto fewer = static_cast<std::size_t>(std::min(not_above, not_below));
  const std::vector<double>& law = signed_rank_law(count_);
  return fewer + 1 < law.size() ? std::min(1.0, 2 * law[fewer + 1]) : 1.0;
}

std::optional<Interval> SignedRanks::interval(double error) const {
  const std::vector<double>& law = signed_rank_law(count_);
  const auto k = static_cast<std::size_t>(std::ranges::upper_bound(law, error / 2) - law.begin()) - 1;
  if (k == 0) return std::nullopt;
  return Interval{averages_[k - 1], averages_[averages_.size() - k]};
}

std::vector<double> holm_levels(std::span<const double> p_values, double error) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> levels(p_values.size());
  double level = 0;
  bool is_over = false;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (!is_over) level = error / static_cast<double>(order.size() - place);
    is_over = is_over || p_values[order[place]] > level;
    levels[order[place]] = level;
  }
  return levels;
}

}  // namespace loadshare
