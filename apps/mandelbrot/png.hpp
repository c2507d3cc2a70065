#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "apps/mandelbrot/palette.hpp"
#include "schedulers/types.hpp"

namespace loadshare::mandelbrot {

/// An image with a palette, row by row, as it is written.
struct IndexedImage {
  Index width = 0, height = 0;
  std::span<const std::uint8_t> pixels;  ///< numbers of colours
  const Palette& colours;
};

/// Writes the image to `path`, complete or not at all where that is a regular file. Throws Error(run_failed).
void write_png(const IndexedImage& image, const std::string& path);

}  // namespace loadshare::mandelbrot
