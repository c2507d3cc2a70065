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

/// `deviation`: of the logarithm.
scaling::SpreadSample sample_of(double mean, double deviation, std::size_t freedom) {
  return {mean, deviation * deviation * mean * mean, static_cast<double>(freedom)};
}

/// What single ones of each run scatter by. (Outliers are for the mean, they do not make everything scatter.)
scaling::Scatter scatter_of_singles(const Means& means, const RankMeans& rank_means,
                                    std::span<const Observed> all) {
  constexpr std::size_t fewest = 3;
  std::map<const ProfiledRun*, std::vector<double>> logarithms;
  for (const Observed& observed : all)
    if (observed.value > 0)
      logarithms[observed.run].push_back(
          std::log(observed.value / rank_means.at({observed.run, observed.rank}).value()));
  std::map<const ProfiledRun*, std::size_t> ranks;
  for (const auto& [who, mean] : rank_means) ++ranks[who.first];
  std::vector<scaling::SpreadSample> samples;
  for (const auto& [run, of_run] : logarithms)
    if (of_run.size() >= std::max(fewest, ranks.at(run) + 1))
      samples.push_back(sample_of(means.at(run).value(), std::min(most_spread, middle_deviation_of(of_run)),
                                  of_run.size() - ranks.at(run)));
  return scaling::fit_scatter(samples);
}

/// How far ranks lie apart in each run, less what single times that scatter make their means differ anyway.
scaling::Scatter scatter_of_ranks(const Means& means, const RankMeans& rank_means,
                                  const scaling::Scatter& singles) {
  struct Sums {
    double squares = 0;
    double by_chance = 0;
    std::size_t ranks = 0;
  };
  std::map<const ProfiledRun*, Sums> sums;
  for (const auto& [who, mean] : rank_means) {
    if (mean.value() <= 0) continue;
    const double run_mean = means.at(who.first).value();
    const double logarithm = std::log(mean.value() / run_mean);
    const double single = deviation_at(singles, run_mean);
    Sums& of_run = sums[who.first];
    of_run.squares += logarithm * logarithm;
    of_run.by_chance += single * single / static_cast<double>(mean.count);
    ++of_run.ranks;
  }
  std::vector<scaling::SpreadSample> samples;
  for (const auto& [run, of_run] : sums) {
    if (of_run.ranks < 2) continue;
    const double variance = (of_run.squares - of_run.by_chance) / static_cast<double>(of_run.ranks - 1);
    samples.push_back(sample_of(means.at(run).value(),
                                std::min(most_spread, std::sqrt(std::max(0.0, variance))), of_run.ranks - 1));
  }
  return scaling::fit_scatter(samples);
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

double deviation_at(const scaling::Scatter& scatter, double mean) {
  return mean > 0 ? std::min(most_spread, std::sqrt(scatter.relative_variance_at(mean))) : 0;
}

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
  measure.singles = scatter_of_singles(means, rank_means, all);
  measure.ranks = scatter_of_ranks(means, rank_means, measure.singles);
  return measure;
}

scaling::Law law_of_bytes(std::span<const Observed> all) {
  return scaling::fit_law(plain(all));
}

}  // namespace loadshare::reconstruction
