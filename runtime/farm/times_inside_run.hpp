#pragma once

#include "runtime/farm/account.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare {

/// A run on the master's clock.
struct RunSpan {
  double start_s;
  double finish_s;
  double length_s() const { return finish_s - start_s; }
};

/// Fills the times of `row` with what of a worker's account lies inside the run; what is missing, or too
/// much, is unaccounted. `clock_offset_s`: how far the worker's clock is ahead of the master's.
void fill_times(RankRecord& row, const Account& account, double clock_offset_s, const RunSpan& run);

}  // namespace loadshare
