#include "models/granularity/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/granularity/account.hpp"
#include "models/granularity/balance.hpp"
#include "models/granularity/granularity.hpp"
#include "models/granularity/totals.hpp"
#include "models/granularity/virtual_processors.hpp"
#include "schedulers/error.hpp"

namespace loadshare::granularity {
namespace {

double reference_speed(std::span<const double> speeds, const Knowledge& knowledge) {
  return knowledge.reference_speed.value_or(speeds.front());
}

/// The times of `processors` of the run's ranks.
void fill_times(Figures& figures, const Totals& times, std::size_t processors, const RunTimes& run) {
  figures.processors = static_cast<double>(processors);
  figures.run_s = run.run_s;
  figures.cost_s = cost_s(run, processors);
  figures.computing_s = times.computing_s;
  figures.communicating_s = times.communicating_s;
  if (run.tells_idle) figures.idle_s = times.idle_s;
  figures.stolen_s = times.stolen_s;
  figures.overhead_s = overhead_s(*figures.cost_s, times.computing_s);
  figures.stolen = times.stolen_s / times.all_s();
}

void fill_granularity(Figures& figures, const Totals& times, bool tells_idle) {
  const Granularities all = granularities(times, tells_idle);
  const auto efficiency_by = [](Figure g) { return g ? Figure(efficiency(*g)) : Figure(); };
  figures.granularity = all.all;
  figures.granularity_communication = all.communication;
  figures.granularity_without_stolen = all.without_stolen;
  figures.efficiency = efficiency_by(all.all);
  figures.efficiency_without_stolen = efficiency_by(all.without_stolen);
  if (figures.efficiency) figures.speedup = *figures.processors * *figures.efficiency;
}

void fill_heterogeneous(Figures& figures, const Heterogeneous& heterogeneous) {
  figures.virtual_processors = heterogeneous.virtual_processors;
  figures.sequential_on_reference_s = heterogeneous.sequential_s;
  figures.speedup_h = heterogeneous.speedup;
  figures.efficiency_h = heterogeneous.efficiency;
}

void fill_classical(Figures& figures, std::size_t kind, const RunTimes& run, Figure sequential_s) {
  if (!sequential_s) return;
  const Classical classical = granularity::classical(run, *sequential_s);
  ClassicalFigures& into = figures.classical[kind];
  into.sequential_s = classical.sequential_s;
  into.speedup = classical.speedup;
  into.efficiency = classical.efficiency;
  into.difference = classical.difference;
  into.relative_difference = classical.relative_difference;
  into.extra_computing = classical.extra_computing;
  into.overhead_s = classical.overhead_s;
  if (!figures.virtual_processors) return;
  into.efficiency_h = classical.speedup / *figures.virtual_processors;
  into.difference_h = *figures.efficiency_h - *into.efficiency_h;
  into.relative_difference_h = *figures.efficiency_h / *into.efficiency_h - 1;
}

void fill_balance(Figures& figures, const RunTimes& run) {
  const Balance whole = balance(run);
  figures.load_balance = whole.load_balance;
  figures.communication_efficiency = whole.communication_efficiency;
  figures.parallel_efficiency = whole.parallel_efficiency();
}

void fill_rank_balance(Figures& figures, const RankTimes& rank, const RunTimes& run, double most_s) {
  figures.load_balance = most_s > 0 ? rank.computing_s / most_s : 1;
  figures.communication_efficiency = rank.computing_s / run.run_s;
  figures.parallel_efficiency = figures.communication_efficiency;
}

Figures figures_of_rank(const RunTimes& run, const RankTimes& rank, double most_s) {
  Figures figures;
  const Totals times = totals(rank);
  fill_times(figures, times, 1, run);
  fill_granularity(figures, times, run.tells_idle);
  fill_rank_balance(figures, rank, run, most_s);
  figures.unaccounted = account_gap(run, rank);
  return figures;
}

}  // namespace

std::optional<std::vector<double>> speeds_of(const RunTimes& run, const Knowledge& knowledge) {
  if (knowledge.speed_source == SpeedSource::measured) return measured_speeds(run);
  if (knowledge.speed_source == SpeedSource::quota) return quota_speeds(run);
  if (knowledge.given_speeds.size() != run.ranks.size())
    throw UsageError(
        fmt::format("the speeds are {} and the ranks {}", knowledge.given_speeds.size(), run.ranks.size()),
        "each rank has one", "give as many as there are ranks");
  return knowledge.given_speeds;
}

Figures figures_of(const RunTimes& run, const Knowledge& knowledge) {
  require_sound(run);
  Figures figures;
  const Totals times = totals(run);
  fill_times(figures, times, run.ranks.size(), run);
  fill_granularity(figures, times, run.tells_idle);
  fill_balance(figures, run);
  figures.unaccounted = widest_account_gap(run);
  if (const auto speeds = speeds_of(run, knowledge))
    fill_heterogeneous(figures,
                       heterogeneous(run.ranks, run.run_s, *speeds, reference_speed(*speeds, knowledge)));
  const SequentialTimes& sequential = knowledge.sequential;
  fill_classical(figures, 0, run, sequential.absolute_s);
  fill_classical(figures, 1, run, sequential.real_s);
  fill_classical(figures, 2, run, sequential.relative_s);
  return figures;
}

std::vector<Figures> figures_of_ranks(const RunTimes& run, const Knowledge& knowledge) {
  require_sound(run);
  const auto speeds = speeds_of(run, knowledge);
  const double most_s = std::ranges::max(run.ranks, {}, &RankTimes::computing_s).computing_s;
  std::vector<Figures> all;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    all.push_back(figures_of_rank(run, run.ranks[i], most_s));
    if (!speeds) continue;
    fill_heterogeneous(all.back(),
                       heterogeneous(std::span(&run.ranks[i], 1), run.run_s, std::span(&(*speeds)[i], 1),
                                     reference_speed(*speeds, knowledge)));
  }
  return all;
}

}  // namespace loadshare::granularity
