#include "apps/matmul/kernels/packed.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/common/transpose.hpp"
#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/sums.hpp"

namespace loadshare::matmul {
namespace {

/// Regards a panel as rows x blocks pieces of `rows` elements, and brings the pieces of each square block
/// together by following the cycles of this permutation.
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

/// Copies each block with a stride that is not a power of two. Otherwise its rows would evict each other from
/// the cache.
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

constexpr Index pieces(Index size, Index largest) {
  return (size + largest - 1) / largest;
}

// Returns equal blocks instead of full ones and a small rest, in multiples of the generated code's unrolling.
Index block_step(Index inner, Index largest) {
  constexpr Index unrolled = 4;
  const Index blocks = std::max<Index>(1, pieces(inner, largest));
  return std::max<Index>(1, pieces(pieces(inner, blocks), unrolled) * unrolled);
}

/// This thread's copy of the panel that it prepares. It is kept until all panels are prepared.
template <class T>
PageMemory<T>& copy_of_panel() {
  thread_local PageMemory<T> memory;
  return memory;
}

// Translating the addresses of small pages takes longer than fetching a line, and the generated code's
// prefetches would wait for it. So one line of each page is prefetched a block earlier, in `parts` portions.
template <class T>
void touch_pages(const T* block, Index elements, Index part, Index parts) {
  constexpr Index page_elements = 4096 / static_cast<Index>(sizeof(T));
  const Index pages = elements / page_elements;
  const Index end = pages * (part + 1) / parts;
  for (Index page = pages * part / parts; page < end; ++page) {
    __builtin_prefetch(block + page * page_elements, 0, 2);
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
PackedKernel<T>::PackedKernel(Index rows, Index inner, BlockCode code, const BlockShape& shape)
    : rows_(rows), inner_(inner), shape_(shape), step_(block_step(inner, shape.inner)), wanted_(code) {
  if (wanted_ == BlockCode::blas) return;
  if (rows >= panel_rows) whole_ = code_for(panel_rows);
  rest_ = code_for(rows % panel_rows);
  // Writing to fresh pages takes a twelfth of the time of a product of size 512. One worker's pages are
  // written before its time is measured.
  const Index room = std::min(shape_.slab, inner * shape_.group);
  PageMemory<T> packed_b(room);
  std::fill_n(packed_b.data(), room, T{0});
  spare_.give_back(std::move(packed_b));
}

template <class T>
PageMemory<T> PackedKernel<T>::SpareMemory::take(Index size) {
  PageMemory<T> memory;
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      memory = std::move(free_.back());
      free_.pop_back();
    }
  }
  return memory.size() < size ? PageMemory<T>(size) : std::move(memory);
}

template <class T>
void PackedKernel<T>::SpareMemory::give_back(PageMemory<T> memory) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(memory));
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
  const std::string& of_blas = blas::openblas().note;
  return "libxsmm generates no code for these sizes here; BLAS multiplies the packed panels" +
         (of_blas.empty() ? "" : "; " + of_blas);
}

template <class T>
std::string PackedKernel<T>::blocks() const {
  return is_generated() ? text_of(shape_, step_) : std::string();
}

// Copies the rows with a stride that is not a power of two. Otherwise eight rows would evict each other from
// the first cache. The copy is read and the panel written in whole lines.
template <class T>
void PackedKernel<T>::prepare(T* panel, Index rows, Index inner) const {
  if (transpose_in_place(panel, rows, inner)) return;
  constexpr Index line = 64 / static_cast<Index>(sizeof(T));
  const Index stride = pieces(inner, line) * line + line;
  PageMemory<T>& copy = copy_of_panel<T>();
  if (copy.size() < rows * stride) copy = PageMemory<T>(rows * stride);
  for (Index i = 0; i < rows; ++i) std::copy_n(panel + i * inner, inner, copy.data() + i * stride);
  transpose(static_cast<const T*>(copy.data()), stride, rows, inner, panel, rows);
}

template <class T>
void PackedKernel<T>::unpack(const T* panel, Index rows, Index inner, T* out) const {
  transpose(panel, rows, inner, rows, out, inner);
}

template <class T>
void PackedKernel<T>::multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const {
  const ChunkColumns<T> chunk{b, c, columns};
  multiply_together(a, {&chunk, 1});
}

// Forms groups of about equal width, across chunks.
template <class T>
void PackedKernel<T>::multiply_together(PanelSource<T>& a, std::span<const ChunkColumns<T>> chunks) const {
  if (inner_ == 0 || !is_generated()) {
    for (const ChunkColumns<T>& chunk : chunks) {
      if (inner_ == 0)
        std::fill_n(chunk.c, rows_ * chunk.columns, T{0});
      else if (chunk.columns > 0)
        multiply_by_blas(a, chunk.b, chunk.c, chunk.columns);
    }
    return;
  }
  const std::vector<Call> calls = calls_for(chunks);
  if (calls.empty()) return;
  const Index columns = calls.back().first + calls.back().columns;
  const Index groups = pieces(columns, shape_.group);
  auto begin = calls.begin();
  for (Index g = 1; g <= groups; ++g) {
    const auto end = std::find_if(begin, calls.end(),
                                  [&](const Call& call) { return call.first >= columns * g / groups; });
    multiply_group(a, {begin, end});
    begin = end;
  }
}

template <class T>
auto PackedKernel<T>::calls_for(std::span<const ChunkColumns<T>> chunks) const -> std::vector<Call> {
  std::vector<Call> calls;
  Index first = 0;
  for (const ChunkColumns<T>& chunk : joined(chunks, rows_, inner_)) {
    const Index parts = pieces(chunk.columns, GeneratedBlock<T>::widest);
    for (Index part = 0; part < parts; ++part) {
      const Index at = chunk.columns * part / parts;
      const Index columns = chunk.columns * (part + 1) / parts - at;
      calls.push_back({chunk.b + at * inner_, chunk.c + at * rows_, columns, first});
      first += columns;
    }
  }
  return calls;
}

// Forms slabs of whole blocks, about as many in each.
template <class T>
void PackedKernel<T>::multiply_group(PanelSource<T>& a, Calls calls) const {
  if (calls.empty()) return;
  const Index columns = calls.back().first + calls.back().columns - calls.front().first;
  const Index blocks = pieces(inner_, step_);
  const Index slabs = pieces(blocks, std::max<Index>(1, shape_.slab / (step_ * columns)));
  for (Index i = 0; i < slabs; ++i)
    multiply_slab(a, calls, columns,
                  {blocks * i / slabs * step_, std::min(inner_, blocks * (i + 1) / slabs * step_)});
  copy_of_panel<T>() = {};  // all panels are prepared at this point
}

// Packs columns of B block by block of the inner dimension. With a leading dimension that is a multiple of
// 4096 bytes, they would otherwise compete for the same few lines of the first cache.
template <class T>
void PackedKernel<T>::multiply_slab(PanelSource<T>& a, Calls calls, Index columns, const Slab& slab) const {
  PageMemory<T> packed_b = spare_.take((slab.end - slab.first) * columns);
  T* place = packed_b.data();
  for (Index k = slab.first; k < slab.end; k += step_)
    for (const Call& call : calls)
      for (Index j = 0; j < call.columns; ++j)
        place = std::copy_n(call.b + j * inner_ + k, std::min(step_, slab.end - k), place);
  for (Index p = 0; p < a.panels(); ++p) {
    multiply_panel(a.panel(p), a.rows_in(p), packed_b.data(), calls, columns, slab, p * panel_rows);
    a.advanced(a.rows_in(p) * (slab.end - slab.first) * columns);
  }
  spare_.give_back(std::move(packed_b));
}

// The first calls prefetch the next block of A. Multiplying this many columns takes about as long as the
// fetch.
constexpr Index columns_that_fetch = 24;

template <class T>
void PackedKernel<T>::multiply_panel(const T* a, Index height, const T* packed_b, Calls calls, Index columns,
                                     const Slab& slab, Index first_row) const {
  const PanelCode& code = height == panel_rows ? whole_ : rest_;
  for (Index k = slab.first; k < slab.end; k += step_) {
    const Index size = std::min(step_, inner_ - k);
    const auto& block = k + step_ < inner_ ? code.step : code.last;
    const Into into = k == 0 ? Into::overwrite : Into::add;
    // The end of a panel is followed by the next panel. Prefetching an invalid address is harmless.
    const T* next = k + step_ < slab.end ? a + (k + size) * height : a + (inner_ + slab.first) * height;
    const T* b = packed_b + (k - slab.first) * columns;
    const auto count = static_cast<Index>(calls.size());
    for (Index i = 0; i < count; ++i) {
      const Call& call = calls[static_cast<std::size_t>(i)];
      const Index at = call.first - calls.front().first;
      touch_pages(next + size * height, size * height, i, count);
      block.multiply(a + k * height, b + at * size, call.c + first_row, call.columns, into,
                     at < columns_that_fetch ? Ahead::next_block : Ahead::nothing, next);
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
