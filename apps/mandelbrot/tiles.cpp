#include "apps/mandelbrot/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "runtime/timing/wording.hpp"
#include "schedulers/error.hpp"

namespace loadshare::mandelbrot {
namespace {

/// Chooses among the ways to cut an image into `tasks` tiles.
class Cut {
 public:
  Cut(Index width, Index height, Index tasks) : width_(width), height_(height), tasks_(tasks) {
    for (Index factor = 1; factor * factor <= tasks; ++factor) {
      if (tasks % factor != 0) continue;
      consider(factor);
      consider(tasks / factor);
    }
  }

  bool exists() const { return columns_ > 0; }
  Index columns() const { return columns_; }

 private:
  void consider(Index columns) {
    const Index rows = tasks_ / columns;
    if (columns > width_ || rows > height_) return;
    const double tile_width = static_cast<double>(width_) / static_cast<double>(columns);
    const double tile_height = static_cast<double>(height_) / static_cast<double>(rows);
    const double oblong = std::abs(std::log(tile_width / tile_height));
    if (oblong >= least_oblong_) return;
    least_oblong_ = oblong;
    columns_ = columns;
  }

  Index width_, height_, tasks_;
  Index columns_ = 0;
  double least_oblong_ = std::numeric_limits<double>::infinity();
};

/// The nearest number of tiles on one side of `tasks` that can be cut, if any.
std::optional<Index> nearest_possible(Index width, Index height, Index tasks, Index step) {
  const Index most = std::min(width * height, most_tiles);
  Index near = step < 0 ? std::min(tasks - 1, most) : tasks + 1;
  for (; near >= 1 && near <= most; near += step)
    if (Cut(width, height, near).exists()) return near;
  return std::nullopt;
}

[[noreturn]] void refuse(Index width, Index height, Index tasks) {
  std::string near;
  for (const Index step : {Index{-1}, Index{1}})
    if (const auto possible = nearest_possible(width, height, tasks, step))
      near += fmt::format("{}{}", near.empty() ? "take " : " or ", *possible);
  throw UsageError(
      fmt::format("--tasks is {}", tasks),
      fmt::format("an image of {} x {} cannot be cut into a grid of so many tiles, none of them empty", width,
                  height),
      near);
}

}  // namespace

Tiles::Tiles(Index width, Index height, Index tasks) : width_(width), height_(height) {
  const Cut cut(width, height, tasks);
  if (!cut.exists()) refuse(width, height, tasks);
  columns_ = cut.columns();
  rows_ = tasks / columns_;
}

Tile Tiles::tile(Index index) const {
  const Index column = index % columns_;
  const Index row = index / columns_;
  return {column_begin(column), row_begin(row), column_begin(column + 1) - column_begin(column),
          row_begin(row + 1) - row_begin(row)};
}

Index Tiles::first_pixel(Index index) const {
  const Tile first = tile(index);  // of the row behind the last too, which begins where the image ends
  return first.row * width_ + first.column * first.height;
}

}  // namespace loadshare::mandelbrot
