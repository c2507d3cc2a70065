#include "apps/common/matrix/load.hpp"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "apps/common/matrix/pieces.hpp"
#include "apps/common/matrix/transpose.hpp"
#include "schedulers/error.hpp"

namespace loadshare {
namespace {

/// The file as its bytes lie: `lines` lines (rows in C order, columns in Fortran order) of `width` elements.
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

/// Elements [first, first + count) of every line, turned: out has `count` rows of as many elements as lines.
template <class T>
void turn_lines(const Lines<T>& from, Index first, Index count, T* out) {
  // numpy aligns the data; a file by another program may begin it anywhere and needs a copy in between.
  const bool is_aligned = from.offset(0) % alignof(T) == 0;
  std::vector<T> copy;
  for_each_piece(from.lines, from.line_bytes(), [&](Index at, Index lines) {
    const T* in = reinterpret_cast<const T*>(from.line(at));
    if (!is_aligned) {
      copy.resize(static_cast<std::size_t>(lines * from.width));
      std::memcpy(copy.data(), from.line(at), copy.size() * sizeof(T));
      in = copy.data();
    }
    transpose(in + first, from.width, lines, count, out + at, from.lines);
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
  if (a.rows() == b.cols()) return "the other way round they would fit";
  return {};
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

}  // namespace loadshare
