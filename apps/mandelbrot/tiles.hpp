#pragma once

#include "schedulers/types.hpp"

namespace loadshare::mandelbrot {

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

}  // namespace loadshare::mandelbrot
