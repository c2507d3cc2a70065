#pragma once

#include <cstdint>
#include <span>

#include "apps/common/loop.hpp"
#include "apps/mandelbrot/workload.hpp"

namespace loadshare::mandelbrot {

/// The result of a verification, tile by tile.
struct ImageCheck : LoopCheck {
  Index points = 0;  ///< number of points computed again
};

/// Compares all counts with the reference.
ImageCheck verify_full(const Picture& picture, std::span<const Count> counts);

/// Compares one in `sample_step` counts of every tile, at least one, with the reference. The seed selects
/// them.
ImageCheck verify_sample(const Picture& picture, std::span<const Count> counts, std::uint64_t seed);
inline constexpr Index sample_step = 64;

}  // namespace loadshare::mandelbrot
