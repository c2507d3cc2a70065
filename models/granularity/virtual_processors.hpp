#pragma once

#include <span>

#include "models/granularity/times.hpp"

namespace loadshare::granularity {

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
