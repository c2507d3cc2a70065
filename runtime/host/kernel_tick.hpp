#pragma once

namespace loadshare {

/// How often the kernel looks at what runs: 1 / CONFIG_HZ, as the resolution of its coarse clock tells; 4 ms
/// where that tells nothing that could be a tick. A control group that has used up its quota is stopped then.
double kernel_tick_s();

/// What a coarse clock's resolution tells of the tick.
double tick_told_by(double resolution_s);

}  // namespace loadshare
