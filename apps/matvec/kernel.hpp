#pragma once

#include "base/types.hpp"

namespace loadshare::matvec {

/// Returns the inner product of `size` elements of a row with those of x, without the final rounding. T is
/// float or double.
///
/// Adds up to some thousand products in T, and these sums in double precision. Converting every float to
/// double would take longer than fetching it from memory, which should determine the time.
template <class T>
double row_product(const T* row, const T* x, Index size);

/// Number of roundings to T of a product within the sum of a block.
inline constexpr Index block_roundings = 35;

}  // namespace loadshare::matvec
