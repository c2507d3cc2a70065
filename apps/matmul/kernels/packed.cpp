#include "apps/matmul/kernels/packed.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "apps/common/transpose.hpp"
#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/sums.hpp"
#include "runtime/host/page_memory.hpp"

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

// Blocks of A and B are 2 KiB along the inner dimension: a block of A (64 rows, 128 KiB) and the next one, on
// its way, fit into the second cache, six columns of B into the first.
constexpr Index block_bytes = 2048;
// Columns that share one pass over A; wider only costs cache, see bench/matmul.
constexpr Index widest_group = 48;

constexpr Index pieces(Index size, Index largest) {
  return (size + largest - 1) / largest;
}

// Equal blocks rather than full ones and a sliver, in multiples of the generated code's unrolling.
template <class T>
Index block_step(Index inner) {
  constexpr Index largest = block_bytes / static_cast<Index>(sizeof(T));
  constexpr Index unrolled = 4;
  const Index blocks = std::max<Index>(1, pieces(inner, largest));
  return std::max<Index>(1, pieces(pieces(inner, blocks), unrolled) * unrolled);
}

// What a thread's memory is for. Two areas, because a source may prepare a panel in the middle of a product.
enum class Purpose { rows_of_a, columns_of_b };

/// Memory of this thread's own, kept from chunk to chunk.
template <class T, Purpose purpose>
PageMemory<T>& own_memory() {
  thread_local PageMemory<T> memory;
  return memory;
}

template <class T, Purpose purpose>
T* scratch(Index size) {
  PageMemory<T>& memory = own_memory<T, purpose>();
  if (memory.size() < size) memory = PageMemory<T>(size);
  return memory.data();
}

// Translating addresses of small pages takes longer than fetching a line, and the generated code's prefetches
// queue up behind it: so one line of each page is asked for a block earlier still. Done in `parts` portions.
template <class T>
void touch_pages(const T* block, Index elements, Index part, Index parts) {
  constexpr Index page_elements = 4096 / static_cast<Index>(sizeof(T));
  const Index pages = elements / page_elements;
  const Index end = pages * (part + 1) / parts;
  for (Index page = pages * part / parts; page < end; ++page) {
    __builtin_prefetch(block + page * page_elements, 0, 2);
  }
}

// Columns of B, block by block of the inner dimension: with a leading dimension that is a multiple of 4096
// bytes they would all compete for the same few lines of the first cache.
template <class T>
void pack_columns(const T* b, Index inner, Index step, Index columns, T* packed) {
  for (Index k = 0; k < inner; k += step) {
    const Index size = std::min(step, inner - k);
    for (Index j = 0; j < columns; ++j) packed = std::copy_n(b + j * inner + k, size, packed);
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

template <class T>
PackedKernel<T>::PackedKernel(Index rows, Index inner, BlockCode code)
    : rows_(rows), inner_(inner), step_(block_step<T>(inner)), wanted_(code) {
  if (wanted_ == BlockCode::blas) return;
  if (rows >= panel_rows) whole_ = code_for(panel_rows);
  rest_ = code_for(rows % panel_rows);
}

template <class T>
typename PackedKernel<T>::PanelCode PackedKernel<T>::code_for(Index panel_height) const {
  const Index last = inner_ - (pieces(inner_, step_) - 1) * step_;
  PanelCode code;
  code.step = GeneratedBlock<T>(panel_height, inner_ > step_ ? step_ : 0, rows_);
  code.last = GeneratedBlock<T>(panel_height, inner_ > 0 ? last : 0, rows_);
  return code;
}

template <class T>
bool PackedKernel<T>::is_generated() const {
  const auto is_whole = [](const PanelCode& code) {
    return code.step.is_available() && code.last.is_available();
  };
  return wanted_ == BlockCode::generated && is_whole(whole_) && is_whole(rest_);
}

template <class T>
std::string PackedKernel<T>::note() const {
  if (is_generated()) return {};
  return "libxsmm generates no code for these sizes here; BLAS multiplies the packed panels";
}

// The rows go through a copy whose stride is no power of two, or eight rows at a time would evict each other
// from the first cache; the copy is read and the panel written in whole lines.
template <class T>
void PackedKernel<T>::prepare(T* panel, Index rows, Index inner) const {
  if (transpose_in_place(panel, rows, inner)) return;
  constexpr Index line = 64 / static_cast<Index>(sizeof(T));
  const Index stride = pieces(inner, line) * line + line;
  T* copy = scratch<T, Purpose::rows_of_a>(rows * stride);
  for (Index i = 0; i < rows; ++i) std::copy_n(panel + i * inner, inner, copy + i * stride);
  transpose(copy, stride, rows, inner, panel, rows);
}

template <class T>
void PackedKernel<T>::unpack(const T* panel, Index rows, Index inner, T* out) const {
  transpose(panel, rows, inner, rows, out, inner);
}

template <class T>
void PackedKernel<T>::multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const {
  if (inner_ == 0) {
    std::fill_n(c, rows_ * columns, T{0});
  } else if (is_generated()) {
    const Index groups = pieces(columns, widest_group);
    for (Index g = 0; g < groups; ++g) {
      const Index first = columns * g / groups;
      const Index end = columns * (g + 1) / groups;
      multiply_group(a, b + first * inner_, c + first * rows_, end - first);
    }
  } else if (columns > 0) {
    multiply_by_blas(a, b, c, columns);
  }
}

template <class T>
void PackedKernel<T>::multiply_group(PanelSource<T>& a, const T* b, T* c, Index columns) const {
  T* packed_b = scratch<T, Purpose::columns_of_b>(inner_ * columns);
  pack_columns(b, inner_, step_, columns, packed_b);
  for (Index p = 0; p < a.panels(); ++p) {
    const T* panel = a.panel(p);
    const Index height = a.rows_in(p);
    multiply_panel(height == panel_rows ? whole_ : rest_, panel, height, packed_b, c + p * panel_rows,
                   columns);
  }
  own_memory<T, Purpose::rows_of_a>() = {};  // all panels are prepared by now
}

template <class T>
void PackedKernel<T>::multiply_panel(const PanelCode& code, const T* a, Index height, const T* packed_b, T* c,
                                     Index columns) const {
  const Index calls = pieces(columns, GeneratedBlock<T>::widest);
  for (Index k = 0; k < inner_; k += step_) {
    const Index size = std::min(step_, inner_ - k);
    const auto& block = size == step_ && k + step_ < inner_ ? code.step : code.last;
    const Into into = k == 0 ? Into::overwrite : Into::add;
    const T* slice = a + k * height;
    const Index slice_size = size * height;
    const T* b = packed_b + k * columns;
    for (Index call = 0; call < calls; ++call) {
      const Index first = columns * call / calls;
      const Index end = columns * (call + 1) / calls;
      // Beyond the panel's end lies the next panel; a prefetch of no memory at all does no harm either.
      touch_pages(slice + 2 * slice_size, slice_size, call, calls);
      block.multiply(slice, b + first * size, c + first * rows_, end - first, into, slice + slice_size);
    }
  }
}

template <class T>
void PackedKernel<T>::multiply_by_blas(PanelSource<T>& a, const T* b, T* c, Index columns) const {
  use_one_blas_thread();
  for (Index p = 0; p < a.panels(); ++p) {
    gemm(Product<T>{a.rows_in(p), inner_, columns, a.panel(p), Storage::column_major, b, inner_,
                    c + p * panel_rows, rows_});
  }
}

template <class T>
void PackedKernel<T>::accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                                      const LeftProduct& product) const {
  accumulate_column_major(panel, rows, inner, left, product);
}

template class PackedKernel<double>;
template class PackedKernel<float>;

}  // namespace loadshare::matmul
