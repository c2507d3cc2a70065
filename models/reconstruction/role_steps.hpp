#pragma once

#include <vector>

#include "models/reconstruction/reconstruction.hpp"
#include "models/reconstruction/roles.hpp"

namespace loadshare::reconstruction {

/// The steps of a role, as expressions in the runs' parameters; its partial times are added to `times`.
/// Throws as reconstruct() does.
timing_graph::Steps steps_of(const Role& role, std::vector<PartialTime>& times);

}  // namespace loadshare::reconstruction
