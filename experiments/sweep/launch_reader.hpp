#pragma once

#include <string>

#include "experiments/sweep/layers.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// "mpirun", "in-process" ...
std::string launch_name(LaunchKind kind);

/// Reads the merged `launch:` of an experiment; `place` is where what is missing is told.
Launch read_launch(Layers& layers, const yaml::Value& place, const std::string& experiment);

}  // namespace loadshare::sweep
