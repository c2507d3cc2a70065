#include "apps/mandelbrot/verify.hpp"

#include "base/random.hpp"

namespace loadshare::mandelbrot {
namespace {

/// A tile with its counts.
class Computed {
 public:
  Computed(const Picture& picture, std::span<const Count> counts, Index index)
      : picture_(picture),
        tile_(picture.tiles.tile(index)),
        counts_(counts.data() + picture.tiles.first_pixel(index)) {}

  Index pixels() const { return tile_.pixels(); }
  bool is_right(Index pixel) const {
    const double re = picture_.plane.re(tile_.column + pixel % tile_.width);
    const double im = picture_.plane.im(tile_.row + pixel / tile_.width);
    return counts_[pixel] == reference_count(re, im, picture_.depth);
  }

 private:
  const Picture& picture_;
  Tile tile_;
  const Count* counts_;
};

/// Calls is_right(tile, index, points) for each tile; it adds the number of points it checked.
template <class IsRight>
ImageCheck verify(const Picture& picture, std::span<const Count> counts, IsRight is_right) {
  ImageCheck check{{"tile", picture.tiles.count()}};
  for (Index index = 0; index < check.iterations; ++index)
    if (!is_right(Computed(picture, counts, index), index, check.points)) check.add_wrong(index);
  return check;
}

}  // namespace

ImageCheck verify_full(const Picture& picture, std::span<const Count> counts) {
  return verify(picture, counts, [](const Computed& tile, Index, Index& points) {
    bool is_right = true;
    points += tile.pixels();
    for (Index pixel = 0; pixel < tile.pixels(); ++pixel) is_right = is_right && tile.is_right(pixel);
    return is_right;
  });
}

ImageCheck verify_sample(const Picture& picture, std::span<const Count> counts, std::uint64_t seed) {
  return verify(picture, counts, [seed](const Computed& tile, Index index, Index& points) {
    std::uint64_t state = split_mix::first_state(seed, static_cast<std::uint64_t>(index));
    bool is_right = true;
    for (Index looked = 0; looked * sample_step < tile.pixels(); ++looked, ++points) {
      const std::uint64_t random = split_mix::mix(state += split_mix::golden_gamma);
      is_right =
          is_right && tile.is_right(static_cast<Index>(random % static_cast<std::uint64_t>(tile.pixels())));
    }
    return is_right;
  });
}

}  // namespace loadshare::mandelbrot
