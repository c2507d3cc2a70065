#pragma once

#include "models/granularity/times.hpp"

namespace loadshare::granularity {

/// The efficiency of the POP project, split in two (Wagner et al., "A Structured Approach to Performance
/// Analysis", 2019). Every rank counts, one that only coordinates too: its processor was taken.
struct Balance {
  /// Mean over maximum of the ranks' T_comp: 1 where all compute equally long, and where none computes.
  double load_balance = 1;
  /// Maximum T_comp over the run time: what the busiest rank could not compute.
  double communication_efficiency = 0;

  /// Equals G / (G + 1) where the account closes.
  double parallel_efficiency() const { return load_balance * communication_efficiency; }
};

/// Of a run for which require_sound() holds.
Balance balance(const RunTimes& run);

}  // namespace loadshare::granularity
