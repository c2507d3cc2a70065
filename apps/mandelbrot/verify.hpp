#pragma once

#include <cstdint>
#include <span>

#include "apps/common/loop.hpp"
#include "apps/mandelbrot/workload.hpp"

namespace loadshare::mandelbrot {

/// What a verification found, tile by tile.
struct ImageCheck : LoopCheck {
  Index points = 0;  ///< computed again
};

/// Compares all counts with the reference.
ImageCheck verify_full(const Picture& picture, std::span<const Count> counts);

/// Compares one in `sample_step` counts of every tile with the reference, at least one; the seed says which.
ImageCheck verify_sample(const Picture& picture, std::span<const Count> counts, std::uint64_t seed);
inline constexpr Index sample_step = 64;

}  // namespace loadshare::mandelbrot
