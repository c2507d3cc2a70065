#pragma once

#include "base/types.hpp"

namespace loadshare::matvec {

/// The inner product of `size` elements of a row with as many of x, without rounding at the end. T is float
/// or double.
///
/// Some thousand products are summed in T, these sums in double precision: to widen every float would take
/// longer than to fetch it from memory, which is what this should wait for.
template <class T>
double row_product(const T* row, const T* x, Index size);

/// How often a product is rounded to T on its way into the sum of a block.
inline constexpr Index block_roundings = 35;

}  // namespace loadshare::matvec
