#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace loadshare::mandelbrot {

/// A rectangle of the complex plane.
struct Bounds {
  double re_from = 0, re_to = 0;
  double im_from = 0, im_to = 0;
};

/// One row of the table of regions.
struct Region {
  std::string name;  ///< as on the command line; for bounds, their text
  std::string description;
  Bounds bounds;
};

/// Returns the named regions: whole (default) and part.
const std::vector<Region>& regions();

/// Returns a named region or `X0,X1,Y0,Y1`. Throws UsageError for an unknown name, suggesting the nearest,
/// and for bounds that are not a rectangle.
Region parse_region(const std::string& text);

/// The pixels of an image and the points of the plane at their centres. Row 0 is the top.
class Plane {
 public:
  Plane(const Bounds& bounds, Index width, Index height)
      : width_(width),
        height_(height),
        left_(bounds.re_from),
        top_(bounds.im_to),
        step_re_((bounds.re_to - bounds.re_from) / static_cast<double>(width)),
        step_im_((bounds.im_to - bounds.im_from) / static_cast<double>(height)) {}

  Index width() const { return width_; }
  Index height() const { return height_; }
  Index pixels() const { return width_ * height_; }

  double re(Index column) const { return left_ + (static_cast<double>(column) + 0.5) * step_re_; }
  double im(Index row) const { return top_ - (static_cast<double>(row) + 0.5) * step_im_; }

  /// Whether neighbouring pixels have distinct points: a double cannot resolve a region that is too small.
  bool distinguishes_pixels() const {
    return re(0) < re(1) && re(width_ - 1) < re(width_) && im(0) > im(1) && im(height_ - 1) > im(height_);
  }

 private:
  Index width_, height_;
  double left_, top_;
  double step_re_, step_im_;
};

/// A rectangle of pixels.
struct Tile {
  Index column = 0, row = 0;  ///< first ones
  Index width = 0, height = 0;

  Index pixels() const { return width * height; }
};

/// An image divided into columns x rows tiles, numbered row by row. Sizes differ by at most a pixel. In
/// memory the tiles are consecutive, each row by row, so that the tiles of a chunk are contiguous.
class Tiles {
 public:
  /// Divides the image into `tasks` tiles, as square as possible. Throws UsageError if the tiles would have
  /// no pixel or no such division exists, and names the nearest possible numbers.
  Tiles(Index width, Index height, Index tasks);

  Index count() const { return columns_ * rows_; }
  Index columns() const { return columns_; }
  Index rows() const { return rows_; }

  Tile tile(Index index) const;
  /// Returns the index of its first pixel in memory; for tile `count()` the end.
  Index first_pixel(Index index) const;

 private:
  Index column_begin(Index column) const { return column * width_ / columns_; }
  Index row_begin(Index row) const { return row * height_ / rows_; }

  Index width_, height_;
  Index columns_ = 1, rows_ = 1;
};

/// The maximum number of tiles: smaller ones are not worth a message.
inline constexpr Index most_tiles = 1'000'000;

/// Number of iterations until a point escapes.
using Count = std::uint32_t;

/// Floating-point operations of one iteration z <- z^2 + c with its test |z| <= 2.
inline constexpr double operations_an_iteration = 8;

/// Computes the counts of row `row` of `tile`, its pixels from left to right.
///
/// The count of a point c is the least n in [1, depth] with |z_n| > 2, where z_0 = 0 and z_{n+1} = z_n^2 + c,
/// or `depth` if there is none. Eight points are computed at a time, with the same rounding as a single
/// point, so that counts equal those of `reference_count` exactly.
void escape_row(const Plane& plane, const Tile& tile, Index row, Count depth, std::span<Count> counts);

/// Computes the count of one point in textbook form, as the reference for verification.
Count reference_count(double re, double im, Count depth);

}  // namespace loadshare::mandelbrot
