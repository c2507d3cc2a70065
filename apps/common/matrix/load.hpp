#pragma once

#include <string>

#include "apps/common/matrix/mapped_file.hpp"
#include "apps/common/matrix/npy.hpp"

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

/// The whole matrix, row after row.
template <class T>
void load_row_major(const NpyFile& file, T* out) {
  load_rows(file, 0, file.rows(), out);
}

/// The whole matrix, column after column.
template <class T>
void load_column_major(const NpyFile& file, T* out) {
  load_columns(file, 0, file.cols(), out);
}

}  // namespace loadshare
