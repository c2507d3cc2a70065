#pragma once

#include <optional>

#include "models/granularity/times.hpp"

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

}  // namespace loadshare::granularity
