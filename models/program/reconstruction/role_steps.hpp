#pragma once

#include "models/program/reconstruction/reconstruction.hpp"
#include "models/program/reconstruction/roles.hpp"

namespace loadshare::reconstruction {

/// The steps of a role, as expressions in the runs' parameters; its partial times and notes are added to
/// `result`.
/// Throws as reconstruct() does.
timing_graph::Steps steps_of(const Role& role, Reconstruction& result);

}  // namespace loadshare::reconstruction
