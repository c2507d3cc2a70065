#pragma once

#include <memory>

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul {

// Kernels that leave the panels as they came, row-major. T is float or double.

/// One BLAS call a chunk, one BLAS thread a worker. Every call packs the whole first matrix again, so its
/// time is far from linear in the chunk's width: choose it to compare with `packed`, or for wide chunks.
/// Expects the panels one after the other in one array, as every source of this project keeps them.
template <class T>
std::unique_ptr<Kernel<T>> make_blas_kernel();

/// The load-sharing paper's computation: the same plain loops, one inner product an element, whatever the
/// technique. Choose it to study scheduling; it is some twenty times slower than `packed`.
template <class T>
std::unique_ptr<Kernel<T>> make_naive_kernel();

}  // namespace loadshare::matmul
