#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "apps/common/matrix/sizes.hpp"

namespace loadshare {

/// The elements that are adjacent in a file: those of a row (c) or of a column (fortran).
enum class StorageOrder { c, fortran };

/// Whether an array of one dimension is accepted as one column.
enum class Dimensions { two, one_or_two };

/// The matrix that a .npy header describes.
struct NpyHeader {
  ElementType type = ElementType::float64;
  StorageOrder order = StorageOrder::c;
  Index rows = 0;
  Index cols = 0;
  std::size_t data_offset = 0;  ///< bytes before the first element
  bool is_vector = false;       ///< one dimension in the file, with `rows` elements; cols is 1

  Bytes data_bytes() const { return matrix_bytes(rows, cols, type); }
};

/// Reads the header of `file`, the bytes of a complete .npy file of format 1.0, 2.0 or 3.0, and checks the
/// size of the data. Accepts little-endian float32 or float64 arrays of two dimensions, or one if requested.
/// Throws UsageError, naming `name`, for anything else.
NpyHeader parse_npy(std::span<const std::byte> file, std::string_view name,
                    Dimensions dimensions = Dimensions::two);

/// Returns the bytes before the data: format 1.0, padded so that the data begins at a multiple of 64. Ignores
/// the argument's `data_offset`.
std::string format_npy_header(const NpyHeader& header);

}  // namespace loadshare
