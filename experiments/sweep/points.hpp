#pragma once

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

}  // namespace loadshare::sweep
