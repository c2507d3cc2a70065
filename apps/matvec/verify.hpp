#pragma once

#include "apps/common/matrix/product.hpp"

namespace loadshare::matvec {

/// Computes every element again, from the last column to the first in extended precision, and compares.
///
/// An element may deviate by u |y_i| for its own rounding, u being the unit roundoff of T, and by
/// (block_roundings u + (columns + 2) v) sum_j |a_ij x_j| for its sum, v being that of double, in which the
/// blocks are summed: the bound for any order of summation (Higham, Accuracy and Stability of Numerical
/// Algorithms, 3.1), twice. An infinity is right where the sum overflows with its sign or is that infinity, a
/// NaN where the sum is one. Where only some orders of summation overflow nobody can tell: such an element
/// counts as wrong.
template <class T>
LoopCheck verify(const ProductShape& shape, const ProductMatrices<T>& operands);

}  // namespace loadshare::matvec
