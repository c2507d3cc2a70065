#pragma once

#include <memory>

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul {

// Kernels that keep the panels in their original row-major form. T is float or double.

/// One BLAS call per chunk, with one BLAS thread per worker. Every call packs the whole first matrix again,
/// so its time is far from proportional to the chunk's width. Choose it to compare with `packed`, or for wide
/// chunks. Requires the panels consecutively in one array, as all sources of this project store them.
template <class T>
std::unique_ptr<Kernel<T>> make_blas_kernel();

/// The load-sharing paper's computation with plain loops: one inner product per element, for any technique.
/// Choose it to study scheduling; it is about twenty times slower than `packed`.
template <class T>
std::unique_ptr<Kernel<T>> make_naive_kernel();

}  // namespace loadshare::matmul
