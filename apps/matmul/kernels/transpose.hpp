#pragma once

#include "schedulers/types.hpp"

namespace loadshare::matmul {

/// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns; strides in elements, the two
/// areas must not overlap. Uses the widest vectors the processor at hand has.
void transpose(const double* from, Index from_stride, Index rows, Index columns, double* to, Index to_stride);
void transpose(const float* from, Index from_stride, Index rows, Index columns, float* to, Index to_stride);

}  // namespace loadshare::matmul
