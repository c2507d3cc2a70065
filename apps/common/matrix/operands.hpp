#pragma once

#include <string>

#include "apps/common/matrix/files.hpp"
#include "apps/common/matrix/npy.hpp"
#include "base/error.hpp"
#include "base/types.hpp"

namespace loadshare {

/// Rows (or columns) to load at a time, at least, where the file has the other order: a page of the file then
/// serves one part only. The whole matrix at once is faster still, most of all from a disk.
inline constexpr Index strided_part = 512;

/// A matrix in a .npy file, open for reading.
class NpyFile final {
 public:
  /// Throws UsageError naming `path` for anything that is not a complete .npy matrix (see parse_npy).
  explicit NpyFile(const std::string& path, Dimensions dimensions = Dimensions::two)
      : file_(path), header_(parse_npy(file_.bytes(), path, dimensions)) {}

  const std::string& path() const { return file_.path(); }
  const NpyHeader& header() const { return header_; }
  Index rows() const { return header_.rows; }
  Index cols() const { return header_.cols; }
  ElementType type() const { return header_.type; }
  const Mapping& mapping() const { return file_.mapping(); }

 private:
  MappedFile file_;
  NpyHeader header_;
};

/// Throws UsageError unless A B exists and both have the same type of element.
void check_product(const NpyFile& a, const NpyFile& b);

/// Rows [first, first + count) to out[0 .. count * cols), row after row, whatever the file's order. T is the
/// file's own type (otherwise std::logic_error). Pages of the file leave memory as they are done with.
/// Several threads may load parts of one file at once.
template <class T>
void load_rows(const NpyFile& file, Index first, Index count, T* out);

/// Columns [first, first + count) to out[0 .. count * rows), column after column; otherwise as load_rows.
template <class T>
void load_columns(const NpyFile& file, Index first, Index count, T* out);

/// The whole matrix, column after column.
template <class T>
void load_column_major(const NpyFile& file, T* out) {
  load_columns(file, 0, file.cols(), out);
}

/// A matrix on its way into a .npy file; the file appears at `commit`, complete (see OutputFile).
class NpyOutput final {
 public:
  /// Reserves the whole file; make it before the work begins. Throws UsageError.
  NpyOutput(const std::string& path, ElementType type, Index rows, Index cols,
            StorageOrder order = StorageOrder::fortran)
      : NpyOutput(path, NpyHeader{type, order, rows, cols}) {}
  /// The same as `form` says, its data_offset apart: a vector, for one.
  NpyOutput(const std::string& path, const NpyHeader& form);

  const NpyHeader& header() const { return header_; }

  /// Writes columns [first, first + count) from in[0 .. count * rows), column after column. T is the file's
  /// type. Several threads may write different columns at once. With StorageOrder::c take as many columns as
  /// there are, or at least `strided_part`, at a time.
  template <class T>
  void store_columns(Index first, Index count, const T* in);

  /// Writes the whole matrix, column after column.
  template <class T>
  void store_column_major(const T* in) {
    store_columns(0, header_.cols, in);
  }

  void commit() { file_.commit(); }

 private:
  template <class T>
  T* element(Index index) const {
    return reinterpret_cast<T*>(file_.data() + header_.data_offset) + index;
  }
  template <class T>
  void written(Index first, Index count) const {
    file_.written(header_.data_offset + static_cast<std::size_t>(first) * sizeof(T),
                  static_cast<std::size_t>(count) * sizeof(T));
  }

  NpyHeader header_;
  OutputFile file_;
};

}  // namespace loadshare
