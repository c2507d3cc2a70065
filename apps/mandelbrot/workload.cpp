#include "apps/mandelbrot/workload.hpp"

#include <numeric>

namespace loadshare::mandelbrot {

std::size_t MandelbrotWorkload::pixels(Chunk chunk) const {
  return static_cast<std::size_t>(picture_.tiles.first_pixel(chunk.end()) -
                                  picture_.tiles.first_pixel(chunk.first));
}

std::span<std::byte> MandelbrotWorkload::output(Chunk chunk) {
  if (counts_.empty()) return {};
  const auto first = static_cast<std::size_t>(picture_.tiles.first_pixel(chunk.first));
  return std::as_writable_bytes(counts_.subspan(first, pixels(chunk)));
}

double MandelbrotWorkload::work(Chunk chunk) const {
  const auto first = static_cast<std::size_t>(picture_.tiles.first_pixel(chunk.first));
  const auto counts = counts_.subspan(first, pixels(chunk));
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

void MandelbrotWorkload::compute(Work& work) {
  Count* out = reinterpret_cast<Count*>(work.output().data());
  for (Index index = work.chunk().first; index < work.chunk().end(); ++index) {
    work.at(index);
    const Tile tile = picture_.tiles.tile(index);
    for (Index row = 0; row < tile.height && !work.is_cancelled(); ++row, out += tile.width)
      escape_row(picture_.plane, tile, row, picture_.depth, {out, static_cast<std::size_t>(tile.width)});
  }
}

}  // namespace loadshare::mandelbrot
