#pragma once

#include <cstdint>
#include <span>

#include "apps/mandelbrot/plane.hpp"
#include "apps/mandelbrot/tiles.hpp"

namespace loadshare::mandelbrot {

/// How many iterations a point took to escape.
using Count = std::uint32_t;

/// Floating-point operations of one iteration z <- z^2 + c with its test |z| <= 2.
inline constexpr double operations_an_iteration = 8;

/// The counts of row `row` of `tile`, its pixels from left to right.
///
/// A point c has the count n of the least n in [1, depth] with |z_n| > 2, where z_0 = 0 and z_{n+1} =
/// z_n^2 + c; points that stay have `depth`. Eight points are computed at a time, with the same rounding as
/// one after the other: the counts are those of `reference_count`, bit for bit.
void escape_row(const Plane& plane, const Tile& tile, Index row, Count depth, std::span<Count> counts);

/// The same for one point, as it is written in a textbook: what the counts are verified by.
Count reference_count(double re, double im, Count depth);

}  // namespace loadshare::mandelbrot
