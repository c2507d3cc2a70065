#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "apps/common/matrix/sizes.hpp"

namespace loadshare {

/// Which elements lie side by side in a file: those of a row (c) or of a column (fortran).
enum class StorageOrder { c, fortran };

/// Whether an array of one dimension is taken too, for one column.
enum class Dimensions { two, one_or_two };

/// What the header of a .npy file says about the matrix in it.
struct NpyHeader {
  ElementType type = ElementType::float64;
  StorageOrder order = StorageOrder::c;
  Index rows = 0;
  Index cols = 0;
  std::size_t data_offset = 0;  ///< bytes before the first element
  bool is_vector = false;       ///< one dimension in the file, of `rows` elements; cols is 1

  Bytes data_bytes() const { return matrix_bytes(rows, cols, type); }
};

/// Reads the header at the beginning of `file`, the bytes of a whole .npy file of format 1.0, 2.0 or 3.0, and
/// checks that as many data bytes follow as it announces. Throws UsageError, naming `name`, for anything but
/// a little-endian float32 or float64 array of two dimensions, or of one where that is asked for.
NpyHeader parse_npy(std::span<const std::byte> file, std::string_view name,
                    Dimensions dimensions = Dimensions::two);

/// The bytes before the data: format 1.0, padded so that the data begins at a multiple of 64. `data_offset`
/// of the argument is not used.
std::string format_npy_header(const NpyHeader& header);

}  // namespace loadshare
