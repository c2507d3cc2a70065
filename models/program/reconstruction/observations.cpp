#include "models/program/reconstruction/observations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/statistics.hpp"
#include "models/program/scaling/fit_law.hpp"

namespace loadshare::reconstruction {

namespace {

constexpr double negligible_share = 2e-4;
constexpr double clear_error = 0.1;
constexpr double most_spread = 1;

std::vector<scaling::Observation> plain(std::span<const Observed> all) {
  std::vector<scaling::Observation> observations;
  observations.reserve(all.size());
  for (const Observed& observed : all) observations.push_back({observed.run->setting, observed.value});
  return observations;
}

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  double value() const { return sum / static_cast<double>(count); }
};

using Means = std::map<const ProfiledRun*, Mean>;
using RankMeans = std::map<std::pair<const ProfiledRun*, std::int32_t>, Mean>;

void add(Mean& mean, double value) {
  mean.sum += value;
  ++mean.count;
}

Means means_of(std::span<const Observed> all) {
  Means means;
  for (const Observed& observed : all) add(means[observed.run], observed.value);
  return means;
}

RankMeans rank_means_of(std::span<const Observed> all) {
  RankMeans means;
  for (const Observed& observed : all) add(means[{observed.run, observed.rank}], observed.value);
  return means;
}

/// Single outliers are for the mean, they do not make everything scatter.
double spread_of(std::span<const Observed> all, const RankMeans& means) {
  std::vector<double> logarithms;
  for (const Observed& observed : all)
    if (observed.value > 0)
      logarithms.push_back(std::log(observed.value / means.at({observed.run, observed.rank}).value()));
  if (logarithms.size() < 3) return 0;
  return std::min(most_spread, middle_deviation_of(logarithms));
}

/// How far ranks lie apart in a run, less what single times that scatter by `single` make their means differ
/// anyway.
double rank_spread_of(const Means& means, const RankMeans& rank_means, double single) {
  double squares = 0;
  double by_chance = 0;
  for (const auto& [who, mean] : rank_means) {
    if (mean.value() <= 0) continue;
    const double logarithm = std::log(mean.value() / means.at(who.first).value());
    squares += logarithm * logarithm;
    by_chance += single * single / static_cast<double>(mean.count);
  }
  if (rank_means.size() <= means.size()) return 0;
  const double variance = (squares - by_chance) / static_cast<double>(rank_means.size() - means.size());
  return std::min(most_spread, std::sqrt(std::max(0.0, variance)));
}

double share_of(std::span<const Observed> all) {
  std::map<std::pair<const ProfiledRun*, std::int32_t>, double> of_rank_s;
  for (const Observed& observed : all) of_rank_s[{observed.run, observed.rank}] += observed.value;
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

Measure measure_seconds(std::span<const Observed> all, scaling::LeastValues least) {
  const Means means = means_of(all);
  Measure measure;
  measure.share = share_of(all);
  measure.law = scaling::fit_law(plain(all), least);
  measure.is_held_constant =
      measure.share < negligible_share && measure.law.fit().error.value_or(0) > clear_error;
  if (measure.is_held_constant) {
    measure.law = scaling::fit_law(flattened(means));
    return measure;
  }
  const RankMeans rank_means = rank_means_of(all);
  measure.spread = spread_of(all, rank_means);
  measure.rank_spread = rank_spread_of(means, rank_means, measure.spread);
  return measure;
}

scaling::Law law_of_bytes(std::span<const Observed> all) {
  return scaling::fit_law(plain(all));
}

}  // namespace loadshare::reconstruction
