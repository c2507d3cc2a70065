#include "apps/matmul/kernels/panel_transpose.hpp"

#include <algorithm>
#include <vector>

#include "apps/matmul/kernels/transpose.hpp"

namespace loadshare::matmul {
namespace {

/// A panel as rows x blocks pieces of `rows` elements: brings the pieces of each square block together, going
/// round the cycles of this permutation.
template <class T>
void gather_blocks(T* panel, Index rows, Index blocks) {
  const Index pieces = rows * blocks;
  const auto move = [&](const T* from, T* to) { std::copy_n(from, rows, to); };
  std::vector<bool> is_placed(static_cast<std::size_t>(pieces));
  std::vector<T> first(static_cast<std::size_t>(rows));
  for (Index start = 0; start < pieces; ++start) {
    if (is_placed[static_cast<std::size_t>(start)]) continue;
    move(panel + start * rows, first.data());
    for (Index place = start;;) {
      is_placed[static_cast<std::size_t>(place)] = true;
      const Index source = place % rows * blocks + place / rows;
      if (source == start) {
        move(first.data(), panel + place * rows);
        break;
      }
      move(panel + source * rows, panel + place * rows);
      place = source;
    }
  }
}

/// Each block through a copy whose stride is no power of two, or its rows would evict each other from the
/// cache.
template <class T>
void transpose_blocks(T* panel, Index rows, Index blocks) {
  constexpr Index line = 64 / static_cast<Index>(sizeof(T));
  const Index stride = rows + line;
  std::vector<T> copy(static_cast<std::size_t>(rows * stride));
  for (Index b = 0; b < blocks; ++b) {
    T* block = panel + b * rows * rows;
    for (Index i = 0; i < rows; ++i) std::copy_n(block + i * rows, rows, copy.data() + i * stride);
    transpose(static_cast<const T*>(copy.data()), stride, rows, rows, block, rows);
  }
}

}  // namespace

template <class T>
bool transpose_in_place(T* panel, Index rows, Index inner) {
  if (rows == 0 || inner % rows != 0) return false;
  gather_blocks(panel, rows, inner / rows);
  transpose_blocks(panel, rows, inner / rows);
  return true;
}

template bool transpose_in_place(double*, Index, Index);
template bool transpose_in_place(float*, Index, Index);

}  // namespace loadshare::matmul
