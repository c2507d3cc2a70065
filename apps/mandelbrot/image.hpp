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

/// The colours of an image. Number 0, black, is for points that do not escape; the others go from early to
/// late.
using Palette = std::array<Colour, 256>;
const Palette& palette();

/// Returns the colour number of a count. It depends on the logarithm because most points escape early.
std::uint8_t colour_number(Count count, Count depth);

/// Returns the image row by row, one byte per pixel, from counts tile by tile.
std::vector<std::uint8_t> paint(const Picture& picture, std::span<const Count> counts);

/// An image with a palette, row by row, as it is written.
struct IndexedImage {
  Index width = 0, height = 0;
  std::span<const std::uint8_t> pixels;  ///< colour numbers
  const Palette& colours;
};

/// Writes the image to `path`. A regular file is replaced completely or not at all. Throws Error
/// (run_failed).
void write_png(const IndexedImage& image, const std::string& path);

}  // namespace loadshare::mandelbrot
