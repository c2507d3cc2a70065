#pragma once

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul {

/// Sums of one pass over memory, in double precision for any element type. For verification.

/// x . y
template <class T>
double inner_product(const double* x, const T* y, Index size);

/// The column's product with r^T A, and a bound of its rounding.
struct WeightedSums {
  double value;  ///< sum of sums[k] column[k]
  double bound;  ///< sum of norms[k] |column[k]|
};
template <class T>
WeightedSums weighted_sums(const double* sums, const double* norms, const T* column, Index size);

/// Implements `Kernel::accumulate_left` for a panel that is column-major, rows x inner without gaps.
template <class T>
void accumulate_column_major(const T* panel, Index rows, Index inner, const LeftFactor& left,
                             const LeftProduct& product);

}  // namespace loadshare::matmul
