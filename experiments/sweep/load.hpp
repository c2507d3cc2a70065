#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// The background load of one run.
struct RunLoad {
  std::string text;                   ///< what `--load` gets
  std::optional<std::uint64_t> seed;  ///< of its phases, where they are random and the file gives no seed
};

/// Whether this value asks for no load: `none` or `false`.
bool is_no_load(const Scalar& value);

/// The load of this repetition of a point; nothing where it has none (`load: none` or `false`). Random phases
/// get a seed of (sweep's seed, experiment, the values of all axes but the compared one, repetition): what is
/// compared meets the same load. Where nothing is compared, all points of the experiment do.
std::optional<RunLoad> load_of(std::uint64_t sweep_seed, const Experiment& experiment, const Point& point,
                               Index repetition);

}  // namespace loadshare::sweep
