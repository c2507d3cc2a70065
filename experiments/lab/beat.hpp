#pragma once

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Starts the beats of a lab: one process on each processor of a host, which only wakes up in the host's
/// group at every turn (LabPlan::turn_us). Each wake-up makes the kernel check whether the host has used up
/// its quota. Without it the kernel checks at its clock ticks, 4 ms apart: a host with a tenth of a processor
/// would run 4 ms and then stop for 36 ms, and its messages with it, unlike any slow machine. The processes
/// keep no file or terminal of this process open, and end with their groups. Throws Error (run_failed).
void start_beats(const LabState& state);

}  // namespace loadshare::lab
