#include "apps/mandelbrot/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <array>

#include "runtime/timing/output_path.hpp"
#include "schedulers/error.hpp"

namespace loadshare::mandelbrot {
namespace {

/// In memory: libpng's functions that write to files end errors with longjmp, past destructors.
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

void write_png(const IndexedImage& image, const std::string& path) {
  static_assert(sizeof(Palette) == 3 * 256);  // libpng takes it for bytes of red, green, blue
  const std::string encoded = encode(image, path);
  replace_file(path, [&](const ByteSink& sink) { sink(encoded); });
}

}  // namespace loadshare::mandelbrot
