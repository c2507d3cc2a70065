#pragma once

#include "experiments/sweep/layers.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// Reads matrix, zip, exclude, compare and baseline into `experiment`, whose settings are read, and makes its
/// points. In a reduced setting an exclude may match nothing: the axes may have been cut short.
void read_axes(Layers& layers, const yaml::Value& place, Setting setting, Experiment& experiment);

}  // namespace loadshare::sweep
