#include "apps/mandelbrot/image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/io/files.hpp"

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

/// Encodes in memory, because libpng's functions that write files report errors by longjmp, past destructors.
std::string encode(const IndexedImage& image, const std::string& path) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB_COLORMAP;
  header.colormap_entries = static_cast<png_uint_32>(image.colours.size());
  std::string encoded(PNG_IMAGE_PNG_SIZE_MAX(header), '\0');
  png_alloc_size_t bytes = encoded.size();
  constexpr int as_it_is = 0;  // no conversion to eight bits, which these are; rows without gaps
  if (png_image_write_to_memory(&header, encoded.data(), &bytes, as_it_is, image.pixels.data(), as_it_is,
                                image.colours.data()) == 0)
    throw Error(ExitCode::run_failed, fmt::format("cannot write {}", path), header.message);
  encoded.resize(bytes);
  return encoded;
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

void write_png(const IndexedImage& image, const std::string& path) {
  static_assert(sizeof(Palette) == 3 * 256);  // libpng reads it as bytes of red, green, blue
  const std::string encoded = encode(image, path);
  replace_file(path, encoded);
}

}  // namespace loadshare::mandelbrot
