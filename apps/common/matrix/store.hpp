#pragma once

#include <string>

#include "apps/common/matrix/npy.hpp"
#include "apps/common/matrix/output_file.hpp"

namespace loadshare {

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
