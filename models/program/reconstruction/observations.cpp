#include "models/program/reconstruction/observations.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.hpp"
#include "models/program/scaling/fit_law.hpp"

namespace loadshare::reconstruction {
namespace {

constexpr double negligible_share = 2e-4;
constexpr double clear_error = 0.1;

/// Values of one rank in one run.
struct OfRank {
  double sum = 0;
  double squares = 0;  ///< of the distances from the rank's mean
  std::size_t count = 0;

  double mean() const { return sum / static_cast<double>(count); }
};

struct OfRun {
  std::map<std::int32_t, OfRank> ranks;
  double sum = 0;
  std::size_t count = 0;

  double mean() const { return sum / static_cast<double>(count); }
};

using Runs = std::map<const ProfiledRun*, OfRun>;

Runs by_run(std::span<const Observed> all) {
  Runs runs;
  for (const Observed& observed : all) {
    OfRun& run = runs[observed.run];
    OfRank& rank = run.ranks[observed.rank];
    run.sum += observed.value;
    ++run.count;
    rank.sum += observed.value;
    ++rank.count;
  }
  for (const Observed& observed : all) {
    OfRank& rank = runs[observed.run].ranks[observed.rank];
    const double distance = observed.value - rank.mean();
    rank.squares += distance * distance;
  }
  return runs;
}

scaling::VarianceFunction variance_of_singles(const Runs& runs) {
  std::vector<scaling::VarianceSample> samples;
  for (const auto& [profile, run] : runs) {
    if (run.mean() <= 0 || run.count <= run.ranks.size()) continue;
    double squares = 0;
    for (const auto& [number, rank] : run.ranks) squares += rank.squares;
    const auto freedom = static_cast<double>(run.count - run.ranks.size());
    samples.push_back({run.mean(), squares / freedom, freedom});
  }
  return scaling::fit_variance(samples);
}

/// How far ranks lie apart, beside what single values that vary make their means differ anyway.
scaling::VarianceFunction variance_of_ranks(const Runs& runs, const scaling::VarianceFunction& singles) {
  std::vector<scaling::VarianceSample> samples;
  for (const auto& [profile, run] : runs) {
    const double mean = run.mean();
    if (run.ranks.size() < 2 || mean <= 0) continue;
    std::vector<double> means;
    double by_chance = 0;
    for (const auto& [number, rank] : run.ranks) {
      means.push_back(rank.mean());
      by_chance += singles.relative_at(mean) * mean * mean / static_cast<double>(rank.count);
    }
    const double deviation = standard_deviation_of(means);
    const auto count = static_cast<double>(means.size());
    samples.push_back({mean, deviation * deviation, count - 1, by_chance / count});
  }
  return scaling::fit_variance(samples);
}

/// A run is one observation: what disturbed it disturbed all of its values.
std::vector<scaling::Observation> observations_of(const Runs& runs,
                                                  const scaling::VarianceFunction& singles) {
  std::vector<scaling::Observation> observations;
  for (const auto& [profile, run] : runs) {
    const double mean = run.mean();
    const double relative = mean > 0 ? singles.relative_at(mean) / static_cast<double>(run.count) : 0;
    observations.push_back({profile->setting, mean, mean * std::sqrt(relative)});
  }
  return observations;
}

double share_of(const Runs& runs) {
  double share = 0;
  for (const auto& [profile, run] : runs)
    for (const auto& [number, rank] : run.ranks) share = std::max(share, rank.sum / profile->makespan_s);
  return share;
}

/// The same value in all settings.
std::vector<scaling::Observation> flattened(const Runs& runs) {
  double most = 0;
  for (const auto& [profile, run] : runs) most = std::max(most, run.mean());
  std::vector<scaling::Observation> observations;
  for (const auto& [profile, run] : runs) observations.push_back({profile->setting, most});
  return observations;
}

}  // namespace

double deviation_at(const scaling::VarianceFunction& variance, double mean) {
  constexpr double most = 1;
  return mean > 0 ? std::min(most, std::sqrt(std::log1p(variance.relative_at(mean)))) : 0;
}

Measure measure_seconds(std::span<const Observed> all, scaling::LeastValues least) {
  const Runs runs = by_run(all);
  const scaling::VarianceFunction singles = variance_of_singles(runs);
  Measure measure;
  measure.share = share_of(runs);
  measure.law = scaling::fit_law(observations_of(runs, singles), least);
  measure.is_held_constant =
      measure.share < negligible_share && measure.law.fit().error.value_or(0) > clear_error;
  if (measure.is_held_constant) {
    measure.law = scaling::fit_law(flattened(runs));
    return measure;
  }
  measure.singles = singles;
  measure.ranks = variance_of_ranks(runs, singles);
  return measure;
}

scaling::Law law_of_bytes(std::span<const Observed> all) {
  return scaling::fit_law(observations_of(by_run(all), {}));
}

}  // namespace loadshare::reconstruction
