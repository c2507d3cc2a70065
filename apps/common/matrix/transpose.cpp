#include "apps/common/matrix/transpose.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace loadshare {
namespace {

constexpr Index tile = 32;

/// A full tile goes through a small buffer, so that memory is read and written in whole cache lines although
/// strides of a power of two map all lines of a tile to the same few places of the cache.
template <class T>
void transpose_tile(const T* in, Index in_stride, T* out, Index out_stride) {
  alignas(64) std::array<T, static_cast<std::size_t>(tile * tile)> buffer;
  for (Index i = 0; i < tile; ++i)
    for (Index j = 0; j < tile; ++j) buffer[static_cast<std::size_t>(j * tile + i)] = in[i * in_stride + j];
  for (Index j = 0; j < tile; ++j)
    std::copy_n(&buffer[static_cast<std::size_t>(j * tile)], tile, out + j * out_stride);
}

template <class T>
void transpose_edge(const T* in, Index in_stride, Index lines, Index width, T* out, Index out_stride) {
  for (Index j = 0; j < width; ++j)
    for (Index i = 0; i < lines; ++i) out[j * out_stride + i] = in[i * in_stride + j];
}

}  // namespace

template <class T>
void transpose(const T* in, Index in_stride, Index lines, Index width, T* out, Index out_stride) {
  for (Index j = 0; j < width; j += tile) {
    for (Index i = 0; i < lines; i += tile) {
      const T* from = in + i * in_stride + j;
      T* to = out + j * out_stride + i;
      const Index tall = std::min(tile, lines - i), wide = std::min(tile, width - j);
      if (tall == tile && wide == tile) {
        transpose_tile(from, in_stride, to, out_stride);
      } else {
        transpose_edge(from, in_stride, tall, wide, to, out_stride);
      }
    }
  }
}

template void transpose(const float*, Index, Index, Index, float*, Index);
template void transpose(const double*, Index, Index, Index, double*, Index);

}  // namespace loadshare
