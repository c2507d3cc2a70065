#pragma once

#include "schedulers/types.hpp"

namespace loadshare {

/// out[j * out_stride + i] = in[i * in_stride + j] for i < lines, j < width; strides in elements. Works in
/// tiles that fit the first-level cache; T is float or double.
template <class T>
void transpose(const T* in, Index in_stride, Index lines, Index width, T* out, Index out_stride);

}  // namespace loadshare
