#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "apps/mandelbrot/workload.hpp"

namespace loadshare::mandelbrot {

/// What a verification found.
struct Verdict {
  Index points = 0;       ///< computed again
  Index tiles = 0;        ///< of the image
  Index wrong_tiles = 0;  ///< that have a wrong count
  Index first_wrong = 0;  ///< if any is

  bool is_right() const { return wrong_tiles == 0; }
};

/// "tile 17 (1 of 100)", "3 of 100 tiles, the first of them 17".
std::string describe_wrong(const Verdict& verdict);

/// Compares all counts with the reference.
Verdict verify_full(const Picture& picture, std::span<const Count> counts);

/// Compares one in `sample_step` counts of every tile with the reference, at least one; the seed says which.
Verdict verify_sample(const Picture& picture, std::span<const Count> counts, std::uint64_t seed);
inline constexpr Index sample_step = 64;

}  // namespace loadshare::mandelbrot
