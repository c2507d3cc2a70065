#include "apps/common/matrix/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "apps/common/transpose.hpp"

namespace loadshare {
namespace {

/// Bytes of a file that are read before their pages are dropped: large enough that dropping costs nothing,
/// and small compared with a matrix that fills memory.
inline constexpr Index piece_bytes = Index{4} << 20;

/// Returns the lines of `line_bytes` bytes in a piece: a multiple of 64, so that transposition uses full
/// tiles.
inline Index lines_in_piece(Index line_bytes) {
  return std::max<Index>(64, piece_bytes / std::max<Index>(line_bytes, 1) / 64 * 64);
}

/// Calls use(first, count) for the lines of one piece after the other.
template <class Use>
void for_each_piece(Index lines, Index line_bytes, Use use) {
  const Index step = lines_in_piece(line_bytes);
  for (Index first = 0; first < lines; first += step) use(first, std::min(step, lines - first));
}

constexpr Index tile = 32;

/// Computes out[j * out_stride + i] = in[i * in_stride + j] for i < lines, j < width; strides in elements.
/// Copies each tile through a small buffer, so that memory is accessed in whole cache lines. Otherwise
/// strides of a power of two would map all lines of a tile to the same few places of the cache.
template <class T>
void transpose_by_tiles(const T* in, Index in_stride, Index lines, Index width, T* out, Index out_stride) {
  alignas(64) std::array<T, static_cast<std::size_t>(tile * tile)> buffer;
  for (Index j = 0; j < width; j += tile)
    for (Index i = 0; i < lines; i += tile) {
      const Index tall = std::min(tile, lines - i), wide = std::min(tile, width - j);
      transpose(in + i * in_stride + j, in_stride, tall, wide, buffer.data(), tile);
      for (Index k = 0; k < wide; ++k)
        std::copy_n(&buffer[static_cast<std::size_t>(k * tile)], tall, out + (j + k) * out_stride + i);
    }
}

/// A file's elements in their order: `lines` lines (rows in C order, columns in Fortran order) of `width`
/// elements.
template <class T>
struct Lines {
  explicit Lines(const NpyFile& npy)
      : file(npy),
        lines(npy.header().order == StorageOrder::c ? npy.rows() : npy.cols()),
        width(npy.header().order == StorageOrder::c ? npy.cols() : npy.rows()) {
    if (npy.type() != element_type<T>) throw std::logic_error(npy.path() + " holds " + name_of(npy.type()));
  }

  Index line_bytes() const { return width * Index{sizeof(T)}; }
  std::size_t offset(Index line) const {
    return file.header().data_offset + static_cast<std::size_t>(line * line_bytes());
  }
  const std::byte* line(Index index) const { return file.mapping().data() + offset(index); }
  void drop(Index first, Index count) const { file.mapping().drop(offset(first), offset(count) - offset(0)); }

  const NpyFile& file;
  Index lines;
  Index width;
};

template <class T>
void copy_lines(const Lines<T>& from, Index first, Index count, T* out) {
  for_each_piece(count, from.line_bytes(), [&](Index at, Index lines) {
    std::memcpy(out + at * from.width, from.line(first + at),
                static_cast<std::size_t>(lines * from.line_bytes()));
    from.drop(first + at, lines);
  });
}

/// Transposes elements [first, first + count) of every line into `count` rows of `out`.
template <class T>
void turn_lines(const Lines<T>& from, Index first, Index count, T* out) {
  // numpy aligns the data. Files of other programs may begin it anywhere, which requires a copy.
  const bool is_aligned = from.offset(0) % alignof(T) == 0;
  std::vector<T> copy;
  for_each_piece(from.lines, from.line_bytes(), [&](Index at, Index lines) {
    const T* in = reinterpret_cast<const T*>(from.line(at));
    if (!is_aligned) {
      copy.resize(static_cast<std::size_t>(lines * from.width));
      std::memcpy(copy.data(), from.line(at), copy.size() * sizeof(T));
      in = copy.data();
    }
    transpose_by_tiles(in + first, from.width, lines, count, out + at, from.lines);
    from.drop(at, lines);
  });
}

template <class T>
void load_part(const NpyFile& file, StorageOrder wanted, Index first, Index count, T* out) {
  const Lines<T> lines(file);
  if (count == 0 || lines.width == 0 || lines.lines == 0) return;
  if (file.header().order == wanted) {
    copy_lines(lines, first, count, out);
  } else {
    turn_lines(lines, first, count, out);
  }
}

std::string product_advice(const NpyFile& a, const NpyFile& b) {
  if (a.rows() == b.rows()) return fmt::format("{} would fit transposed", a.path());
  if (a.cols() == b.cols()) return fmt::format("{} would fit transposed", b.path());
  if (a.rows() == b.cols()) return "in the other order they would fit";
  return {};
}

NpyHeader with_offset(NpyHeader header) {
  header.data_offset = format_npy_header(header).size();
  return header;
}

}  // namespace

void check_product(const NpyFile& a, const NpyFile& b) {
  if (a.type() != b.type())
    throw UsageError(fmt::format("cannot multiply {} by {}", a.path(), b.path()),
                     fmt::format("one is {}, the other {}", name_of(a.type()), name_of(b.type())),
                     "convert one of them with astype");
  if (a.cols() == b.rows()) return;
  throw UsageError(
      fmt::format("cannot multiply {} by {}", a.path(), b.path()),
      fmt::format("{} by {}: the inner dimensions {} and {} differ", shape_text(a.rows(), a.cols()),
                  shape_text(b.rows(), b.cols()), a.cols(), b.rows()),
      product_advice(a, b));
}

template <class T>
void load_rows(const NpyFile& file, Index first, Index count, T* out) {
  load_part(file, StorageOrder::c, first, count, out);
}

template <class T>
void load_columns(const NpyFile& file, Index first, Index count, T* out) {
  load_part(file, StorageOrder::fortran, first, count, out);
}

template void load_rows(const NpyFile&, Index, Index, float*);
template void load_rows(const NpyFile&, Index, Index, double*);
template void load_columns(const NpyFile&, Index, Index, float*);
template void load_columns(const NpyFile&, Index, Index, double*);

NpyOutput::NpyOutput(const std::string& path, const NpyHeader& form)
    : header_(with_offset(form)), file_(path, add_bytes(header_.data_offset, header_.data_bytes())) {
  std::ranges::copy(format_npy_header(header_), reinterpret_cast<char*>(file_.data()));
}

template <class T>
void NpyOutput::store_columns(Index first, Index count, const T* in) {
  if (header_.type != element_type<T>)
    throw std::logic_error(file_.path() + " takes " + name_of(header_.type));
  const Index rows = header_.rows, cols = header_.cols;
  if (rows == 0 || count == 0) return;
  if (header_.order == StorageOrder::fortran) {
    for_each_piece(count, rows * Index{sizeof(T)}, [&](Index at, Index columns) {
      std::copy_n(in + at * rows, columns * rows, element<T>((first + at) * rows));
      written<T>((first + at) * rows, columns * rows);
    });
  } else {
    for_each_piece(rows, cols * Index{sizeof(T)}, [&](Index at, Index lines) {
      transpose_by_tiles(in + at, rows, count, lines, element<T>(at * cols + first), cols);
      written<T>(at * cols + first, (lines - 1) * cols + count);
    });
  }
}

template void NpyOutput::store_columns(Index, Index, const float*);
template void NpyOutput::store_columns(Index, Index, const double*);

}  // namespace loadshare
