#pragma once

#include "runtime/profile/interpose/section.hpp"

namespace loadshare::profile {

/// Finds out whether all ranks have this library, on every rank that has it and before the first collective
/// call, which would hang where another has not: each publishes its name with mpirun, rank 0 looks for all of
/// them and publishes what it found.
struct RollCall {
  bool are_all_here = true;
  Trouble missing;  ///< for people, on one of the ranks
};

RollCall call_the_roll();

}  // namespace loadshare::profile
