#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/mandelbrot/workload.hpp"
#include "base/types.hpp"

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

/// An image with a palette, row by row, as it is written.
struct IndexedImage {
  Index width = 0, height = 0;
  std::span<const std::uint8_t> pixels;  ///< numbers of colours
  const Palette& colours;
};

/// Writes the image to `path`, complete or not at all where that is a regular file. Throws Error(run_failed).
void write_png(const IndexedImage& image, const std::string& path);

}  // namespace loadshare::mandelbrot
