#include "models/efficiency/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "models/efficiency/speedups.hpp"

namespace loadshare::granularity {
namespace {

double reference_speed(std::span<const double> speeds, const Knowledge& knowledge) {
  return knowledge.reference_speed.value_or(speeds.front());
}

/// The times of some of the run's ranks.
void fill_times(Figures& figures, const Totals& times, std::span<const RankTimes> ranks,
                const RunTimes& run) {
  figures.processors = static_cast<double>(ranks.size());
  figures.run_s = run.run_s;
  figures.cost_s = cost_s(run, ranks.size());
  for (const RankTimes& rank : ranks) *figures.cost_s -= rank.away_s;
  figures.computing_s = times.computing_s;
  figures.communicating_s = times.communicating_s;
  if (run.tells_idle) figures.idle_s = times.idle_s;
  figures.stolen_s = times.stolen_s;
  figures.overhead_s = overhead_s(*figures.cost_s, times.computing_s);
  figures.stolen = times.all_s() > 0 ? times.stolen_s / times.all_s() : 0;
}

void fill_granularity(Figures& figures, const Totals& times, bool tells_idle) {
  const Granularities all = granularities(times, tells_idle);
  const auto efficiency_by = [](Figure g) { return g ? Figure(efficiency(*g)) : Figure(); };
  figures.granularity = all.all;
  figures.granularity_communication = all.communication;
  figures.granularity_without_stolen = all.without_stolen;
  figures.efficiency = efficiency_by(all.all);
  figures.efficiency_without_stolen = efficiency_by(all.without_stolen);
  if (figures.efficiency) figures.speedup = *figures.cost_s / *figures.run_s * *figures.efficiency;
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

void fill_factors(Figures& figures, const Factors& factors) {
  figures.factor_load_balance = factors.load_balance;
  figures.factor_communication = factors.communication;
  figures.factor_serialisation = factors.serialisation;
  figures.factor_transfer = factors.transfer;
  figures.factor_processor = factors.processor;
}

void fill_rank_balance(Figures& figures, const RankTimes& rank, const RunTimes& run, double most_s) {
  figures.load_balance = most_s > 0 ? rank.computing_s / most_s : 1;
  figures.communication_efficiency = stay_s(run, rank) > 0 ? rank.computing_s / stay_s(run, rank) : 0;
  figures.parallel_efficiency = figures.communication_efficiency;
}

Figures figures_of_rank(const RunTimes& run, const RankTimes& rank, double most_s) {
  Figures figures;
  const Totals times = totals(rank);
  fill_times(figures, times, std::span(&rank, 1), run);
  fill_granularity(figures, times, run.tells_idle);
  fill_rank_balance(figures, rank, run, most_s);
  fill_factors(figures, factors(times, rank.computing_s, 1, run.tells_idle));
  figures.unaccounted = account_gap(run, rank);
  return figures;
}

FigureEntry entry(std::string key, Figure Figures::*member) {
  return {std::move(key), [member](Figures& figures) -> Figure& { return figures.*member; }};
}

FigureEntry entry(std::string key, std::size_t kind, Figure ClassicalFigures::*member) {
  return {std::move(key),
          [kind, member](Figures& figures) -> Figure& { return figures.classical[kind].*member; }};
}

void add_classical(std::vector<FigureEntry>& table, std::size_t kind) {
  const std::string name = classical_kinds[kind];
  table.push_back(entry("sequential_" + name + "_s", kind, &ClassicalFigures::sequential_s));
  table.push_back(entry("speedup_" + name, kind, &ClassicalFigures::speedup));
  table.push_back(entry("E_" + name, kind, &ClassicalFigures::efficiency));
  table.push_back(entry("E_minus_" + name, kind, &ClassicalFigures::difference));
  table.push_back(entry("E_over_" + name, kind, &ClassicalFigures::relative_difference));
  table.push_back(entry("extra_computing_" + name, kind, &ClassicalFigures::extra_computing));
  table.push_back(entry("overhead_" + name + "_s", kind, &ClassicalFigures::overhead_s));
  table.push_back(entry("E_H_" + name, kind, &ClassicalFigures::efficiency_h));
  table.push_back(entry("E_H_minus_" + name, kind, &ClassicalFigures::difference_h));
  table.push_back(entry("E_H_over_" + name, kind, &ClassicalFigures::relative_difference_h));
}

std::vector<FigureEntry> make_table() {
  std::vector<FigureEntry> table{
      entry("processors", &Figures::processors),
      entry("run_s", &Figures::run_s),
      entry("cost_s", &Figures::cost_s),
      entry("computing_s", &Figures::computing_s),
      entry("communicating_s", &Figures::communicating_s),
      entry("idle_s", &Figures::idle_s),
      entry("stolen_s", &Figures::stolen_s),
      entry("overhead_s", &Figures::overhead_s),
      entry("G", &Figures::granularity),
      entry("G_communication", &Figures::granularity_communication),
      entry("G_without_stolen", &Figures::granularity_without_stolen),
      entry("E", &Figures::efficiency),
      entry("E_without_stolen", &Figures::efficiency_without_stolen),
      entry("speedup", &Figures::speedup),
      entry("load_balance", &Figures::load_balance),
      entry("communication_efficiency", &Figures::communication_efficiency),
      entry("parallel_efficiency", &Figures::parallel_efficiency),
      entry("ideal_run_s", &Figures::ideal_run_s),
      entry("factor_load_balance", &Figures::factor_load_balance),
      entry("factor_communication", &Figures::factor_communication),
      entry("factor_serialisation", &Figures::factor_serialisation),
      entry("factor_transfer", &Figures::factor_transfer),
      entry("factor_processor", &Figures::factor_processor),
      entry("stolen", &Figures::stolen),
      entry("unaccounted", &Figures::unaccounted),
      entry("virtual_processors", &Figures::virtual_processors),
      entry("sequential_on_reference_s", &Figures::sequential_on_reference_s),
      entry("speedup_H", &Figures::speedup_h),
      entry("E_H", &Figures::efficiency_h),
  };
  for (std::size_t kind = 0; kind < classical_kinds.size(); ++kind) add_classical(table, kind);
  return table;
}

std::vector<double> values_of(std::span<const Figures> runs, const FigureEntry& entry) {
  std::vector<double> values;
  for (Figures run : runs)
    if (const Figure& value = entry.in(run)) values.push_back(*value);
  return values;
}

void compare(const Figure& efficiency, const Figure& classical, Figure& difference, Figure& relative) {
  if (!difference || !efficiency || !classical) return;
  difference = *efficiency - *classical;
  relative = *efficiency / *classical - 1;
}

/// Of the efficiencies that stand beside them: a median of differences would be of other runs.
void compare_medians(Figures& median) {
  for (ClassicalFigures& kind : median.classical) {
    compare(median.efficiency, kind.efficiency, kind.difference, kind.relative_difference);
    compare(median.efficiency_h, kind.efficiency_h, kind.difference_h, kind.relative_difference_h);
  }
}

}  // namespace

std::optional<std::vector<double>> speeds_of(const RunTimes& run, const Knowledge& knowledge) {
  if (knowledge.speed_source == SpeedSource::measured) return measured_speeds(run);
  if (knowledge.speed_source == SpeedSource::quota) return quota_speeds(run);
  if (knowledge.given_speeds.size() != run.ranks.size())
    throw UsageError(
        fmt::format("there are {} speeds and {} ranks", knowledge.given_speeds.size(), run.ranks.size()),
        "each rank needs one", "give as many as there are ranks");
  return knowledge.given_speeds;
}

Figures figures_of(const RunTimes& run, const Knowledge& knowledge) {
  require_sound(run);
  Figures figures;
  const Totals times = totals(run);
  fill_times(figures, times, run.ranks, run);
  fill_granularity(figures, times, run.tells_idle);
  fill_balance(figures, run);
  if (run.ideal) figures.ideal_run_s = run.ideal->run_s;
  fill_factors(figures, factors(run));
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

std::span<const FigureEntry> figure_table() {
  static const std::vector<FigureEntry> table = make_table();
  return table;
}

Spread spread_of(std::span<const Figures> runs) {
  if (runs.empty()) throw UsageError("there are no runs", "their figures have no spread");
  Spread spread;
  for (const FigureEntry& entry : figure_table()) {
    const std::vector<double> values = values_of(runs, entry);
    if (values.size() != runs.size()) continue;
    entry.in(spread.median) = median_of(values);
    entry.in(spread.least) = std::ranges::min(values);
    entry.in(spread.most) = std::ranges::max(values);
  }
  compare_medians(spread.median);
  return spread;
}

}  // namespace loadshare::granularity
