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
  std::string name;  ///< as on the command line; of bounds that were typed, their text
  std::string description;
  Bounds bounds;
};

/// The regions that have names: whole (default) and part.
const std::vector<Region>& regions();

/// A named region or `X0,X1,Y0,Y1`; throws UsageError on an unknown name (the nearest is named) and on bounds
/// that are no rectangle.
Region parse_region(const std::string& text);

/// The pixels of an image and the points of the plane they stand for: their centres, row 0 being the top.
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

  /// Whether neighbours are apart: doubles end where a region is too small.
  bool tells_pixels_apart() const {
    return re(0) < re(1) && re(width_ - 1) < re(width_) && im(0) > im(1) && im(height_ - 1) > im(height_);
  }

 private:
  Index width_, height_;
  double left_, top_;
  double step_re_, step_im_;
};

/// A rectangle of pixels.
struct Tile {
  Index column = 0, row = 0;  ///< its first ones
  Index width = 0, height = 0;

  Index pixels() const { return width * height; }
};

/// An image cut into columns x rows tiles, numbered row by row; sizes differ by a pixel at most. In memory
/// one tile's pixels follow the other's, each tile row by row, so that a chunk of tiles is one piece.
class Tiles {
 public:
  /// As many columns and rows of tiles as make `tasks`, the tiles as square as can be. Throws UsageError
  /// where no such tiles have a pixel at least, and says which numbers near `tasks` do.
  Tiles(Index width, Index height, Index tasks);

  Index count() const { return columns_ * rows_; }
  Index columns() const { return columns_; }
  Index rows() const { return rows_; }

  Tile tile(Index index) const;
  /// Where its pixels begin in memory; that of tile `count()` is the end.
  Index first_pixel(Index index) const;

 private:
  Index column_begin(Index column) const { return column * width_ / columns_; }
  Index row_begin(Index row) const { return row * height_ / rows_; }

  Index width_, height_;
  Index columns_ = 1, rows_ = 1;
};

/// More tiles than this are no use: each should be worth a message.
inline constexpr Index most_tiles = 1'000'000;

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
