#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mandelbrot/workload.hpp"

namespace loadshare::mandelbrot {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

/// The colours of an image: number 0, black, for points that stayed, the others from early to late escapes.
using Palette = std::array<Colour, 256>;
const Palette& palette();

/// The number of a count's colour. Counts are told apart by their logarithm: most points escape early.
std::uint8_t colour_number(Count count, Count depth);

/// The image row by row, a byte a pixel, from the counts tile by tile.
std::vector<std::uint8_t> paint(const Picture& picture, std::span<const Count> counts);

}  // namespace loadshare::mandelbrot
