#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/efficiency/granularity.hpp"

namespace loadshare::granularity {

/// Sequential times of the same problem, in seconds. Which of them a speedup is taken from gives it its name
/// (Sahni and Thanvantri, "Performance Metrics: Keeping the Focus on Runtime", 1996).
struct SequentialTimes {
  std::optional<double> absolute_s;  ///< the best sequential program on the fastest sequential machine
  std::optional<double> real_s;      ///< the best sequential program on one processor of the parallel machine
  std::optional<double> relative_s;  ///< the parallel program itself on one processor of it
};

/// Cost p T_p: the processor time that the run took from everybody else, used or not. Of fewer processors,
/// the share that these took.
double cost_s(const RunTimes& run, std::size_t processors);
inline double cost_s(const RunTimes& run) {
  return cost_s(run, run.ranks.size());
}

/// Overhead T_o = p T_p - W (Grama, Gupta and Kumar, "Isoefficiency", 1993), W being the time of the
/// sequential program; without one the paper takes W = sum of T_comp.
double overhead_s(double cost_s, double problem_size_s);

/// What the classical method says with a sequential time T_seq.
struct Classical {
  double sequential_s = 0;
  double speedup = 0;              ///< T_seq / T_p
  double efficiency = 0;           ///< speedup / p
  double difference = 0;           ///< the efficiency by granularity minus this one
  double relative_difference = 0;  ///< the efficiency by granularity over this one, minus 1
  double extra_computing = 0;      ///< sum of T_comp / T_seq - 1: the difference comes from it
  double overhead_s = 0;           ///< p T_p - T_seq
};

/// Throws UsageError where `sequential_s` is not a positive number.
Classical classical(const RunTimes& run, double sequential_s);

/// Where the ranks' speeds S_i come from.
enum class SpeedSource {
  given,
  quota,    ///< what the hosts' control groups leave each rank of a processor
  measured  ///< in the run itself, which cannot say how unequal the processors are: see measured_speeds()
};

/// "given", "quota" or "measured".
const char* name_of(SpeedSource source);

/// Whether the fastest is more than 5 % faster than the slowest: such processors are compared by E_H.
bool are_unequal(std::span<const double> speeds);

/// What the hosts grant the ranks, in their order.
std::vector<double> quota_speeds(const RunTimes& run);

/// The ranks' speeds as the run itself tells: work / T_comp. They are right where a unit of work costs the
/// same everywhere. Nothing where a rank's work is not known or it computed nothing.
///
/// By them E_H is sum of work / (T_p sum of S_i): the same as the classical E_H up to how fast the sequential
/// run computed, whatever the run. So they are for reading, and compare nothing.
std::optional<std::vector<double>> measured_speeds(const RunTimes& run);

/// The ranks, by their numbers, of which no speed can be measured.
std::vector<int> ranks_without_speed(const RunTimes& run);

/// VP(p) = sum of S_i / S_1 (the paper, section 4): how many processors like the reference the unequal ones
/// of a run are together. Throws UsageError where a speed is not a positive number.
double virtual_processors(std::span<const double> speeds, double reference_speed);

/// A run on unequal processors against the one of speed S_1, again without a sequential run.
struct Heterogeneous {
  double virtual_processors = 0;
  double sequential_s = 0;  ///< sum of T_comp,i S_i / S_1: how long the reference would compute all of it
  double speedup = 0;       ///< Speedup_H: that over T_p
  double efficiency = 0;    ///< E_H = Speedup_H / VP(p)
};

/// Of some ranks of a run that took `run_s`, with their `speeds` in the same order; throws UsageError where
/// there are not as many of them.
Heterogeneous heterogeneous(std::span<const RankTimes> ranks, double run_s, std::span<const double> speeds,
                            double reference_speed);

}  // namespace loadshare::granularity
