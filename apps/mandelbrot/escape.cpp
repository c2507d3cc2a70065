#include "apps/mandelbrot/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "apps/common/vectors.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

#ifdef __FAST_MATH__
#error "-ffast-math changes the counts: they depend on every rounding"
#endif

namespace loadshare::mandelbrot {
namespace {

constexpr const char* how_to_write = "write it as X0,X1,Y0,Y1: -2,1,-1.5,1.5";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw UsageError(fmt::format("--region is '{}'", text), why, how_to_write);
}

double bound(const std::string& text, std::string_view word) {
  const std::optional<double> value = parse_number(word);
  if (!value) refuse(text, fmt::format("'{}' is not a number", word));
  return *value;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  std::string_view rest = text;
  for (std::size_t comma = 0; comma != std::string_view::npos; rest = rest.substr(comma + 1)) {
    comma = rest.find(',');
    values.push_back(bound(text, rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
  }
  return values;
}

Region typed_region(const std::string& text) {
  const std::vector<double> values = numbers(text);
  if (values.size() != 4) refuse(text, fmt::format("it has {} numbers, not 4", values.size()));
  const Bounds bounds{values[0], values[1], values[2], values[3]};
  if (!(bounds.re_from < bounds.re_to) || !(bounds.im_from < bounds.im_to))
    refuse(text, "a region must begin before it ends");
  return {text, "typed bounds", bounds};
}

/// Chooses among the ways to divide an image into `tasks` tiles.
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

/// Returns the nearest possible number of tiles above or below `tasks`, if there is one.
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
      near += fmt::format("{}{}", near.empty() ? "use " : " or ", *possible);
  throw UsageError(
      fmt::format("--tasks is {}", tasks),
      fmt::format("an image of {} x {} cannot be cut into a grid of that many tiles with a pixel each", width,
                  height),
      near);
}

/// The result of eight comparisons: all bits set for each that holds, so -1.
using Mask = decltype(Eight{} <= Eight{});

constexpr Index points_a_group =
    2 * lanes;                       // two vectors at a time: additions of one hide the latency of the other
constexpr Count between_looks = 16;  // iterations between checks whether the whole group has escaped

struct Orbit {
  Eight re = {}, im = {};  // z
  Eight c_re = {};
  Mask inside = {};
  Mask count = {};

  [[gnu::always_inline]] void start(const double* points) {
    load(points, c_re);
    inside = re <= re;
  }

  // A point that has escaped is never counted again, even if it comes back or is NaN.
  [[gnu::always_inline]] void iterate(double c_im) {
    const Eight re_squared = re * re;
    const Eight im_squared = im * im;
    inside &= re_squared + im_squared <= 4.0;
    count -= inside;
    im = (re + re) * im + c_im;
    re = re_squared - im_squared + c_re;
  }
};

[[gnu::always_inline]] inline bool is_any(const Mask& mask) {
  long long any = 0;
  for (Index i = 0; i < lanes; ++i) any |= mask[i];
  return any != 0;
}

[[gnu::always_inline]] inline void escape_group(const double* points, double c_im, Count depth,
                                                Count* counts) {
  Orbit left, right;
  left.start(points);
  right.start(points + lanes);
  for (Count done = 0; done < depth && is_any(left.inside | right.inside);) {
    const Count end = depth - done < between_looks ? depth : done + between_looks;
    for (; done < end; ++done) {
      left.iterate(c_im);
      right.iterate(c_im);
    }
  }
  for (Index i = 0; i < lanes; ++i) {
    counts[i] = static_cast<Count>(left.count[i]);
    counts[lanes + i] = static_cast<Count>(right.count[i]);
  }
}

[[gnu::always_inline]] inline void escape_points(const Plane& plane, const Tile& tile, Index row, Count depth,
                                                 std::span<Count> counts) {
  const double c_im = plane.im(tile.row + row);
  double points[points_a_group];
  Count group_counts[points_a_group];
  for (Index at = 0; at < tile.width; at += points_a_group) {
    const Index size = std::min(points_a_group, tile.width - at);
    for (Index i = 0; i < points_a_group; ++i)
      points[i] = i < size ? plane.re(tile.column + at + i) : 4;  // 4 escapes immediately
    escape_group(points, c_im, depth, group_counts);
    std::copy_n(group_counts, size, counts.begin() + at);
  }
}

}  // namespace

const std::vector<Region>& regions() {
  static const std::vector<Region> table{
      {"whole", "the set and what surrounds it, -2,1,-1.5,1.5", {-2, 1, -1.5, 1.5}},
      {"part", "the valley between the two largest discs, -0.8,-0.7,0.05,0.15", {-0.8, -0.7, 0.05, 0.15}},
  };
  return table;
}

Region parse_region(const std::string& text) {
  if (text.find(',') != std::string::npos) return typed_region(text);
  return row_named("--region", text, regions());
}

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
  const Tile first = tile(index);  // also of the row after the last, which begins at the end of the image
  return first.row * width_ + first.column * first.height;
}

void escape_row(const Plane& plane, const Tile& tile, Index row, Count depth, std::span<Count> counts) {
  with_widest_vectors([&]()
                          __attribute__((always_inline)) { escape_points(plane, tile, row, depth, counts); });
}

Count reference_count(double re, double im, Count depth) {
  double x = 0, y = 0;
  Count n = 0;
  while (n < depth && x * x + y * y <= 4) {
    const double next_x = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next_x;
    ++n;
  }
  return n;
}

}  // namespace loadshare::mandelbrot
