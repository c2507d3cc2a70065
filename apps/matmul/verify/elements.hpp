#pragma once

#include <vector>

#include "apps/matmul/verify/computed.hpp"

namespace loadshare::matmul {

/// What the reference product is computed with: plain loops where BLAS itself is to be checked.
enum class Reference { blas, loops };

/// Compares every element of the given columns with a reference computed in double precision. Returns, for
/// each of these columns, its largest deviation as a multiple of what rounding may explain; above 1 it is
/// wrong.
///
/// An element may deviate by (inner + 2) u |a_i| |b_j| (row and column norms): the bound for any order of
/// summation (Higham, Accuracy and Stability of Numerical Algorithms, 3.1) with the Cauchy-Schwarz
/// inequality, u being the unit roundoff of T, and for T = double once more for the reference. An element
/// whose reference is not a finite T is right if and only if it is not finite either.
template <class T>
std::vector<double> check_elements(const Computed<T>& product, const std::vector<Index>& columns,
                                   Reference reference);

}  // namespace loadshare::matmul
