#pragma once

#include "experiments/sweep/settings.hpp"

namespace loadshare::sweep {

/// Reads matrix, zip, exclude, compare and baseline into `experiment`, whose settings are read, and makes its
/// points. In a reduced setting an exclude may match nothing: the axes may have been cut short. Throws
/// UsageError, what is missing is reported at `place`.
void read_axes(Layers& layers, const yaml::Value& place, Setting setting, const SchedulerTable& schedulers,
               Experiment& experiment);

}  // namespace loadshare::sweep
