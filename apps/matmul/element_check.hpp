#pragma once

#include <vector>

#include "apps/matmul/kernel.hpp"
#include "base/types.hpp"

namespace loadshare::matmul {

/// A finished product C = A B, as the kernel that computed it saw it: A in prepared panels, B column-major
/// with leading dimension inner, C column-major with leading dimension rows.
template <class T>
struct Computed {
  const Kernel<T>& kernel;
  PanelSource<T>& a;
  const T* b;
  const T* c;
  Index columns;
};

/// What the reference product is computed with: plain loops where BLAS itself is to be checked.
enum class Reference { blas, loops };

/// What a look at every element of a column found.
struct ColumnCheck {
  double deviation = 0;  ///< the largest, as a multiple of what rounding may explain; above 1 it is wrong
  bool is_undecided = false;  ///< a sum overflows in some orders of summation only; `deviation` is infinite
};

/// Compares every element of the given columns with a reference computed in double precision.
///
/// An element may deviate by (inner + 2) u |a_i| |b_j| (row and column norms): the bound for any order of
/// summation (Higham, Accuracy and Stability of Numerical Algorithms, 3.1) with the Cauchy-Schwarz
/// inequality, u being the unit roundoff of T, and for T = double once more for the reference. Where a row or
/// a column has a NaN or an infinity, the element must be the NaN or the infinity that IEEE arithmetic gives.
/// An element that overflows must be the infinity of its sign; where finite numbers overflow only in some
/// orders of summation, nobody can say whether an infinity or a NaN is right.
template <class T>
std::vector<ColumnCheck> check_elements(const Computed<T>& product, const std::vector<Index>& columns,
                                        Reference reference);

}  // namespace loadshare::matmul
