#pragma once

#include "experiments/sweep/settings.hpp"

namespace loadshare::sweep {

/// Reads matrix, zip, exclude, compare and baseline into `experiment` and makes its points; call
/// read_settings() first. In a reduced setting an exclude may match nothing, because the axes may be shorter.
/// Throws UsageError; a missing key is reported at `place`.
void read_axes(Layers& layers, const yaml::Value& place, Setting setting, const SchedulerTable& schedulers,
               Experiment& experiment);

}  // namespace loadshare::sweep
