#pragma once

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Starts what makes the kernel look at every turn of the lab (LabPlan::turn_us) whether a host has used up
/// what it was granted: on each of a host's processors a process that does nothing but wake up in the host's
/// group. By itself the kernel looks at its clock's ticks, 4 ms apart: a host of a tenth then runs 4 ms and
/// stands still for 36, and what it had to send waits as long, which no slow machine does. The processes see
/// to no file or terminal of ours, and end with their groups. Throws Error (run_failed).
void start_beats(const LabState& state);

}  // namespace loadshare::lab
