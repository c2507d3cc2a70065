#include "apps/matmul/kernels/block_shape.hpp"

#include <algorithm>

#include "apps/matmul/kernel.hpp"
#include "apps/matmul/kernels/generated.hpp"
#include "runtime/host/caches.hpp"

namespace loadshare::matmul {
namespace {

constexpr Index inner_step = 64;  // step between candidate sizes: whole cache lines for any element type
constexpr Index group_step = 24;  // whole tiles, of 6 columns or of 3
// B is read once per panel, so a slab larger than the free part of the third cache would come from memory
// each time. Every worker has a slab of its own. With smaller slabs, blocks of A are loaded more often: 192
// columns run at 53.0, 52.8 and 50.3 GFLOP/s with 2 MiB, 1 MiB and 512 KiB (one core of an EPYC with
// AVX-512).
constexpr Index slab_bytes = Index{2} << 20;

// Four vectors of rows by these columns fit into 32 registers (AVX-512), or 16.
constexpr Index tile_of(Index vector_bytes) {
  return vector_bytes >= 64 ? 6 : 3;
}

/// Returns the largest useful group: wider ones gain less than their memory is worth (see block_shape).
Index widest_group(const Core& core) {
  return core.second_cache_bytes >= Index{2} << 20 ? 384 : 192;
}

/// Returns the columns of a group that fit with a block of this inner dimension.
Index group_for(Index inner, Index room, Index widest) {
  const Index columns = (room - 2 * panel_rows * inner) / (inner + panel_rows);
  return std::clamp(columns / group_step * group_step, group_step, widest);
}

double moved(Index group, Index inner) {
  return 1 / static_cast<double>(group) + 0.5 / static_cast<double>(inner);
}

}  // namespace

Core Core::here() {
  const Caches caches = caches_of_core();
  return {caches.first_bytes, caches.second_bytes, generated_vector_bytes()};
}

BlockShape block_shape(const Core& core, Index element_bytes) {
  const Index tile = tile_of(core.vector_bytes);
  const Index room = core.second_cache_bytes / 4 * 3 / element_bytes;
  const Index widest = widest_group(core);
  const Index longest = core.first_cache_bytes / 2 / (tile * element_bytes);
  BlockShape best{tile, inner_step, group_for(inner_step, room, widest), slab_bytes / element_bytes};
  for (Index inner = 2 * inner_step; inner <= longest && 2 * panel_rows * inner < room; inner += inner_step) {
    const Index group = group_for(inner, room, widest);
    if (moved(group, inner) < moved(best.group, best.inner)) best.inner = inner, best.group = group;
  }
  return best;
}

std::string text_of(const BlockShape& shape, Index inner) {
  return std::to_string(panel_rows) + " x " + std::to_string(shape.tile) + " x " + std::to_string(inner) +
         ", at most " + std::to_string(shape.group) + " columns a pass";
}

}  // namespace loadshare::matmul
