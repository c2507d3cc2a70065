#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// How many points the axes span. Saturates.
std::size_t point_count(std::span<const Axis> axes);

/// Every combination of the walks, the last walk fastest; one point without parameters where there are no
/// axes. The axes of one walk have lists of one length.
std::vector<Point> all_points(const std::string& experiment, std::span<const Axis> axes);

/// Whether the point has all these values.
bool matches(const Point& point, const Parameters& some);

/// `fig3a/master=works/scheduler=gss:14`.
std::string point_id(const std::string& experiment, const Parameters& parameters);

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
