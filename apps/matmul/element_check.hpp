#pragma once

#include <vector>

#include "apps/matmul/kernel.hpp"
#include "base/types.hpp"

namespace loadshare::matmul {

/// A finished product C = A B in the form of its kernel: A in prepared panels, B column-major with leading
/// dimension inner, C column-major with leading dimension rows.
template <class T>
struct Computed {
  const Kernel<T>& kernel;
  PanelSource<T>& a;
  const T* b;
  const T* c;
  Index columns;
};

/// How the reference product is computed: by plain loops if BLAS itself is checked.
enum class Reference { blas, loops };

/// The result of checking every element of a column.
struct ColumnCheck {
  double deviation = 0;  ///< the largest, as a multiple of what rounding may explain; wrong above 1
  bool is_undecided =
      false;  ///< a sum overflows only in some orders of summation; `deviation` is then infinite
};

/// Compares every element of the given columns with a reference computed in double precision.
///
/// An element may deviate by (inner + 2) u |a_i| |b_j| (row and column norms). This is the bound for any
/// order of summation (Higham, Accuracy and Stability of Numerical Algorithms, 3.1) with the Cauchy-Schwarz
/// inequality, where u is the unit roundoff of T. For T = double the bound is doubled for the reference. If a
/// row or a column contains a NaN or an infinity, the element must be the NaN or infinity of IEEE arithmetic.
/// An element that overflows must be the infinity of its sign. If finite numbers overflow only in some orders
/// of summation, whether an infinity or a NaN is correct is undecided.
template <class T>
std::vector<ColumnCheck> check_elements(const Computed<T>& product, const std::vector<Index>& columns,
                                        Reference reference);

}  // namespace loadshare::matmul
