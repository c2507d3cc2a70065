#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "models/efficiency/granularity.hpp"
#include "models/efficiency/speedups.hpp"

namespace loadshare::granularity {

/// A figure; nothing where the run does not tell it.
using Figure = std::optional<double>;

/// What stands beside the efficiency by granularity for one kind of sequential time.
struct ClassicalFigures {
  Figure sequential_s;
  Figure speedup;
  Figure efficiency;
  Figure difference;             ///< E minus it
  Figure relative_difference;    ///< E over it, minus 1
  Figure extra_computing;        ///< sum of T_comp over the sequential time, minus 1
  Figure overhead_s;             ///< p T_p minus the sequential time
  Figure efficiency_h;           ///< speedup / VP(p): for unequal processors, whose T_comp do not add up
  Figure difference_h;           ///< E_H minus it
  Figure relative_difference_h;  ///< E_H over it, minus 1
};

/// Absolute, real and relative, in this order.
inline constexpr std::array<const char*, 3> classical_kinds{"absolute", "real", "relative"};

/// Every figure of a run, or of one rank of it. Of a rank they are those of a program of one process that
/// had its processor for T_p: its speedup is its share of one. There load_balance is its T_comp over that of
/// the busiest rank, and communication_efficiency its T_comp over T_p.
struct Figures {
  Figure processors;
  Figure run_s;
  Figure cost_s;
  Figure computing_s;
  Figure communicating_s;
  Figure idle_s;  ///< nothing where it is among communicating_s
  Figure stolen_s;
  Figure overhead_s;  ///< p T_p minus sum of T_comp
  Figure granularity;
  Figure granularity_communication;
  Figure granularity_without_stolen;
  Figure efficiency;
  Figure efficiency_without_stolen;
  Figure speedup;
  Figure load_balance;
  Figure communication_efficiency;
  Figure parallel_efficiency;
  Figure ideal_run_s;          ///< T_p on a network of no cost
  Figure factor_load_balance;  ///< see Factors
  Figure factor_communication;
  Figure factor_serialisation;
  Figure factor_transfer;
  Figure factor_processor;
  Figure stolen;       ///< share of all time
  Figure unaccounted;  ///< share of the run time, of the rank where it is worst; within the tolerance
  Figure virtual_processors;
  Figure sequential_on_reference_s;
  Figure speedup_h;
  Figure efficiency_h;
  std::array<ClassicalFigures, 3> classical;
};

/// The name of a figure in JSON, and where it stands.
struct FigureEntry {
  std::string key;
  std::function<Figure&(Figures&)> in;
};

/// Every figure, in the order of the JSON.
std::span<const FigureEntry> figure_table();

/// What is known beside the run's own times.
struct Knowledge {
  SequentialTimes sequential;
  SpeedSource speed_source = SpeedSource::measured;
  std::vector<double> given_speeds;       ///< S_i in the order of the ranks, where that is the source
  std::optional<double> reference_speed;  ///< S_1; nothing: the first rank's
};

/// S_i in the order of the ranks; nothing where the run does not tell it. Throws UsageError where it has not
/// as many ranks as speeds are given.
std::optional<std::vector<double>> speeds_of(const RunTimes& run, const Knowledge& knowledge);

/// Throws UsageError as require_sound(), and where what is known makes no sense.
Figures figures_of(const RunTimes& run, const Knowledge& knowledge = {});

/// The figures of each rank, in the order of the run's ranks.
std::vector<Figures> figures_of_ranks(const RunTimes& run, const Knowledge& knowledge = {});

/// What several runs of one setting say together: of each figure its median, least and most, and of two
/// efficiencies the difference of their medians. A figure that not all of them tell has none: its median
/// would be of other runs than those beside it.
struct Spread {
  Figures median;
  Figures least;
  Figures most;
};

/// Throws UsageError where there are no runs.
Spread spread_of(std::span<const Figures> runs);

}  // namespace loadshare::granularity
