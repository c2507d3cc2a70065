#pragma once

#include <string>

#include "apps/common/matrix/files.hpp"
#include "apps/common/matrix/npy.hpp"
#include "base/error.hpp"
#include "base/types.hpp"

namespace loadshare {

/// Minimum number of rows (or columns) to load at a time if the file has the other order: then each page
/// serves one part only. Loading the whole matrix at a time is even faster, above all from a disk.
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

/// Throws UsageError unless A B exists and both have the same element type.
void check_product(const NpyFile& a, const NpyFile& b);

/// Loads rows [first, first + count) into out[0 .. count * cols), row after row, for any order in the file. T
/// is the file's own type (otherwise std::logic_error). Drops pages of the file after use. Several threads
/// may load parts of one file at the same time.
template <class T>
void load_rows(const NpyFile& file, Index first, Index count, T* out);

/// Loads columns [first, first + count) into out[0 .. count * rows), column after column; otherwise as
/// load_rows.
template <class T>
void load_columns(const NpyFile& file, Index first, Index count, T* out);

/// Loads the whole matrix, column after column.
template <class T>
void load_column_major(const NpyFile& file, T* out) {
  load_columns(file, 0, file.cols(), out);
}

/// A matrix that is written to a .npy file. The file appears complete at `commit` (see OutputFile).
class NpyOutput final {
 public:
  /// Reserves the whole file. Make it before the work begins. Throws UsageError.
  NpyOutput(const std::string& path, ElementType type, Index rows, Index cols,
            StorageOrder order = StorageOrder::fortran)
      : NpyOutput(path, NpyHeader{type, order, rows, cols}) {}
  /// Reserves a file of the given form, ignoring its data_offset, for example for a vector.
  NpyOutput(const std::string& path, const NpyHeader& form);

  const NpyHeader& header() const { return header_; }

  /// Writes columns [first, first + count) from in[0 .. count * rows), column after column. T is the file's
  /// type. Several threads may write different columns at the same time. With StorageOrder::c, write all
  /// columns or at least `strided_part` of them per call.
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
