#pragma once

#include "apps/common/matrix/product.hpp"

namespace loadshare::matvec {

/// Computes every element again, from the last column to the first in extended precision, and compares.
///
/// An element may deviate by u |y_i| for its own rounding, where u is the unit roundoff of T, and by
/// (block_roundings u + (columns + 2) v) sum_j |a_ij x_j| for its sum, where v is that of double, the type of
/// the blocks' sum. This is the bound for any order of summation (Higham, Accuracy and Stability of Numerical
/// Algorithms, 3.1), twice. An infinity is correct if the sum overflows with its sign or is that infinity, a
/// NaN if the sum is NaN. If only some orders of summation overflow, the element counts as wrong.
template <class T>
LoopCheck verify(const ProductShape& shape, const ProductMatrices<T>& operands);

}  // namespace loadshare::matvec
