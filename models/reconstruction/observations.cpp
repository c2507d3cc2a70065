#include "models/reconstruction/observations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/scaling/fit_law.hpp"

namespace loadshare::reconstruction {

namespace {

constexpr double negligible_share = 2e-4;

std::vector<scaling::Observation> plain(std::span<const Observed> all) {
  std::vector<scaling::Observation> observations;
  observations.reserve(all.size());
  for (const Observed& seen : all) observations.push_back({seen.run->setting, seen.value});
  return observations;
}

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  double value() const { return sum / static_cast<double>(count); }
};

using Means = std::map<const ProfiledRun*, Mean>;

Means means_of(std::span<const Observed> all) {
  Means means;
  for (const Observed& seen : all) {
    means[seen.run].sum += seen.value;
    ++means[seen.run].count;
  }
  return means;
}

/// Half the distance of the quantiles that a normal distribution has one standard deviation off its middle:
/// single outliers are for the mean, they do not make everything scatter.
double spread_of(std::span<const Observed> all, const Means& means) {
  constexpr double most = 1;
  std::vector<double> logarithms;
  for (const Observed& seen : all)
    if (seen.value > 0) logarithms.push_back(std::log(seen.value / means.at(seen.run).value()));
  if (logarithms.size() < 3) return 0;
  std::ranges::sort(logarithms);
  const auto quantile = [&](double share) {
    return logarithms[static_cast<std::size_t>(share * static_cast<double>(logarithms.size() - 1))];
  };
  return std::min(most, (quantile(0.84) - quantile(0.16)) / 2);
}

double share_of(std::span<const Observed> all) {
  std::map<std::pair<const ProfiledRun*, std::int32_t>, double> of_rank_s;
  for (const Observed& seen : all) of_rank_s[{seen.run, seen.rank}] += seen.value;
  double share = 0;
  for (const auto& [where, sum_s] : of_rank_s) share = std::max(share, sum_s / where.first->makespan_s);
  return share;
}

/// The same value in all settings.
std::vector<scaling::Observation> flattened(const Means& means) {
  double most = 0;
  for (const auto& [run, mean] : means) most = std::max(most, mean.value());
  std::vector<scaling::Observation> observations;
  for (const auto& [run, mean] : means) observations.push_back({run->setting, most});
  return observations;
}

}  // namespace

Measure measure_seconds(std::span<const Observed> all) {
  const Means means = means_of(all);
  Measure measure;
  measure.share = share_of(all);
  if (measure.share < negligible_share) {
    measure.law = scaling::fit_law(flattened(means));
    return measure;
  }
  measure.law = scaling::fit_law(plain(all));
  measure.spread = spread_of(all, means);
  return measure;
}

scaling::Law law_of_bytes(std::span<const Observed> all) {
  return scaling::fit_law(plain(all));
}

}  // namespace loadshare::reconstruction
