#pragma once

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul {

/// `Kernel::unpack` and `Kernel::accumulate_left` for kernels that leave panels as they came, row-major.
template <class T>
void unpack_row_major(const T* panel, Index rows, Index inner, T* out);
template <class T>
void accumulate_row_major(const T* panel, Index rows, Index inner, const LeftFactor& left,
                          const LeftProduct& product);

}  // namespace loadshare::matmul
