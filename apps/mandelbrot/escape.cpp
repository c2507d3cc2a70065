#include "apps/mandelbrot/escape.hpp"

#include <algorithm>

#include "apps/common/vectors.hpp"

#ifdef __FAST_MATH__
#error "-ffast-math changes the counts: they depend on every rounding"
#endif

namespace loadshare::mandelbrot {
namespace {

/// Of eight numbers each: all bits set where a comparison holds, so -1.
using Mask = decltype(Eight{} <= Eight{});

constexpr Index points_a_group =
    2 * lanes;                       // two vectors at a time: one's additions fill the other's latency
constexpr Count between_looks = 16;  // whether all of a points_a_group have escaped is asked so often

struct Orbit {
  Eight re = {}, im = {};  // z
  Eight c_re = {};
  Mask inside = {};
  Mask count = {};

  [[gnu::always_inline]] void start(const double* points) {
    load(points, c_re);
    inside = re <= re;
  }

  // Once outside always outside: a point is counted no more when it comes back, nor when it is not a number.
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
      points[i] = i < size ? plane.re(tile.column + at + i) : 4;  // 4 escapes at once
    escape_group(points, c_im, depth, group_counts);
    std::copy_n(group_counts, size, counts.begin() + at);
  }
}

}  // namespace

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
