#include "apps/mandelbrot/palette.hpp"

#include <algorithm>
#include <cmath>

namespace loadshare::mandelbrot {
namespace {

constexpr std::array<Colour, 7> stops{{{8, 12, 60},
                                       {20, 74, 160},
                                       {92, 170, 220},
                                       {240, 246, 230},
                                       {250, 190, 60},
                                       {190, 70, 20},
                                       {70, 10, 30}}};

std::uint8_t between(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
}

Colour at(double place) {
  const double scaled = place * static_cast<double>(stops.size() - 1);
  const std::size_t stop = std::min(static_cast<std::size_t>(scaled), stops.size() - 2);
  const double share = scaled - static_cast<double>(stop);
  const Colour& from = stops[stop];
  const Colour& to = stops[stop + 1];
  return {between(from.red, to.red, share), between(from.green, to.green, share),
          between(from.blue, to.blue, share)};
}

Palette make_palette() {
  Palette colours;
  for (std::size_t i = 1; i < colours.size(); ++i)
    colours[i] = at(static_cast<double>(i - 1) / static_cast<double>(colours.size() - 2));
  return colours;
}

}  // namespace

const Palette& palette() {
  static const Palette colours = make_palette();
  return colours;
}

std::uint8_t colour_number(Count count, Count depth) {
  if (count >= depth) return 0;
  const double place = std::log(static_cast<double>(count)) / std::log(static_cast<double>(depth));
  return static_cast<std::uint8_t>(1 + std::lround(place * static_cast<double>(palette().size() - 2)));
}

std::vector<std::uint8_t> paint(const Picture& picture, std::span<const Count> counts) {
  std::vector<std::uint8_t> image(static_cast<std::size_t>(picture.plane.pixels()));
  const Count* count = counts.data();
  for (Index index = 0; index < picture.tiles.count(); ++index) {
    const Tile tile = picture.tiles.tile(index);
    for (Index row = tile.row; row < tile.row + tile.height; ++row) {
      std::uint8_t* const out = image.data() + row * picture.plane.width() + tile.column;
      std::transform(count, count + tile.width, out,
                     [&](Count each) { return colour_number(each, picture.depth); });
      count += tile.width;
    }
  }
  return image;
}

}  // namespace loadshare::mandelbrot
