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

std::size_t index_of_rank(const RunTimes& run, int rank) {
  const auto found = std::ranges::find(run.ranks, rank, &RankTimes::rank);
  if (found == run.ranks.end())
    throw UsageError(fmt::format("there is no rank {}", rank),
                     fmt::format("the run has {} ranks", run.ranks.size()), "name another as the reference");
  return static_cast<std::size_t>(found - run.ranks.begin());
}

double reference_speed(const RunTimes& run, const std::vector<double>& speeds, const Knowledge& knowledge) {
  if (knowledge.reference_speed) return *knowledge.reference_speed;
  return speeds[knowledge.reference_rank ? index_of_rank(run, *knowledge.reference_rank) : 0];
}

void fill_times(Figures& figures, const Totals& times, double processors, const RunTimes& run) {
  figures.processors = processors;
  figures.run_s = run.run_s;
  figures.cost_s = processors * run.run_s;
  figures.computing_s = times.computing_s;
  figures.communicating_s = times.communicating_s;
  if (run.tells_idle) figures.idle_s = times.idle_s;
  figures.stolen_s = times.stolen_s;
  figures.overhead_s = *figures.cost_s - times.computing_s;
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
  into.extra_computing = classical.extra_computing;
  into.overhead_s = classical.overhead_s;
  if (!figures.virtual_processors) return;
  into.efficiency_h = classical.speedup / *figures.virtual_processors;
  into.difference_h = *figures.efficiency_h - *into.efficiency_h;
}

void fill_balance(Figures& figures, const RunTimes& run) {
  const Balance whole = balance(run);
  figures.load_balance = whole.load_balance;
  figures.communication_efficiency = whole.communication_efficiency;
  figures.parallel_efficiency = whole.parallel_efficiency();
}

void fill_rank_balance(Figures& figures, const RankTimes& rank, const RunTimes& run) {
  const double most_s = std::ranges::max(run.ranks, {}, &RankTimes::computing_s).computing_s;
  figures.load_balance = most_s > 0 ? rank.computing_s / most_s : 1;
  figures.communication_efficiency = rank.computing_s / run.run_s;
  figures.parallel_efficiency = figures.communication_efficiency;
}

Figures figures_of_rank(const RunTimes& run, const RankTimes& rank) {
  Figures figures;
  const Totals times = totals(rank);
  fill_times(figures, times, 1, run);
  fill_granularity(figures, times, run.tells_idle);
  fill_rank_balance(figures, rank, run);
  figures.unaccounted = account_gap(run, rank);
  return figures;
}

}  // namespace

std::optional<std::vector<double>> speeds_of(const RunTimes& run, const Knowledge& knowledge) {
  if (knowledge.speeds.empty()) return measured_speeds(run);
  if (knowledge.speeds.size() != run.ranks.size())
    throw UsageError(
        fmt::format("there are {} speeds for {} ranks", knowledge.speeds.size(), run.ranks.size()),
        "each rank has one");
  return knowledge.speeds;
}

Figures figures_of(const RunTimes& run, const Knowledge& knowledge) {
  require_sound(run);
  Figures figures;
  const Totals times = totals(run);
  fill_times(figures, times, static_cast<double>(run.ranks.size()), run);
  fill_granularity(figures, times, run.tells_idle);
  fill_balance(figures, run);
  figures.unaccounted = widest_account_gap(run);
  if (const auto speeds = speeds_of(run, knowledge))
    fill_heterogeneous(figures, heterogeneous(run, *speeds, reference_speed(run, *speeds, knowledge)));
  const SequentialTimes& sequential = knowledge.sequential;
  fill_classical(figures, 0, run, sequential.absolute_s);
  fill_classical(figures, 1, run, sequential.real_s);
  fill_classical(figures, 2, run, sequential.relative_s);
  return figures;
}

std::vector<Figures> figures_of_ranks(const RunTimes& run, const Knowledge& knowledge) {
  require_sound(run);
  const auto speeds = speeds_of(run, knowledge);
  std::vector<Figures> all;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    all.push_back(figures_of_rank(run, run.ranks[i]));
    if (!speeds) continue;
    RunTimes alone = run;
    alone.ranks = {run.ranks[i]};
    const double reference = reference_speed(run, *speeds, knowledge);
    fill_heterogeneous(all.back(), heterogeneous(alone, std::span(&(*speeds)[i], 1), reference));
  }
  return all;
}

}  // namespace loadshare::granularity
