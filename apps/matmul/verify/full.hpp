#pragma once

#include "apps/matmul/verify/elements.hpp"
#include "apps/matmul/verify/verdict.hpp"

namespace loadshare::matmul {

/// Compares every element of the product with a reference in double precision (see `check_elements`): as much
/// work as the product itself. Take `Reference::loops` where the product came from BLAS; that is slower
/// still.
template <class T>
Verdict verify_full(const Computed<T>& product, Reference reference = Reference::blas);

}  // namespace loadshare::matmul
