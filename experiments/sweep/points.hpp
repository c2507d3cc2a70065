#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// Returns how many points the axes span. Saturates.
std::size_t point_count(std::span<const Axis> axes);

/// Returns every combination of the walks, the last walk varying fastest; one point without parameters if
/// there are no axes. The axes of one walk have equally long lists.
std::vector<Point> all_points(const std::string& experiment, std::span<const Axis> axes);

/// Whether the point has all values in `some`.
bool matches(const Point& point, const Parameters& some);

/// Returns the point's name: `fig3a/master=works/scheduler=gss:14`.
std::string point_id(const std::string& experiment, const Parameters& parameters);

/// The background load of one run.
struct RunLoad {
  std::string text;                   ///< the value of `--load`
  std::optional<std::uint64_t> seed;  ///< seed of random phases for which the file gives none
};

/// Whether this value asks for no load: `none` or `false`.
bool is_no_load(const Scalar& value);

/// Returns the load of this repetition of a point; nothing for `load: none` or `false`. Random phases get a
/// seed of (sweep's seed, experiment, the values of all axes but the compared one, repetition), so that
/// compared values run under the same load. If nothing is compared, all points of the experiment do.
std::optional<RunLoad> load_of(std::uint64_t sweep_seed, const Experiment& experiment, const Point& point,
                               Index repetition);

}  // namespace loadshare::sweep
