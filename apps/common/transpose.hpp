#pragma once

#include <cstring>

#include "apps/common/vectors.hpp"
#include "base/types.hpp"

namespace loadshare {
namespace detail {

// Far enough ahead for memory's latency, near enough to stay in the first cache.
inline constexpr Index ahead_bytes = 512;

template <class T>
struct VectorOf;
template <>
struct VectorOf<double> {
  using Lanes [[gnu::vector_size(64)]] = double;
};
template <>
struct VectorOf<float> {
  using Lanes [[gnu::vector_size(32)]] = float;
};

// Transposes eight rows of eight elements in registers, in three rounds of two-operand shuffles.
template <class T>
[[gnu::always_inline]] inline void transpose_tile(const T* from, Index from_stride, T* to, Index to_stride) {
  using V = typename VectorOf<T>::Lanes;
  V r[lanes];
  V s[lanes];
  for (Index i = 0; i < lanes; ++i) {
    std::memcpy(&r[i], from + i * from_stride, sizeof(V));
    __builtin_prefetch(reinterpret_cast<const char*>(from + i * from_stride) + ahead_bytes);
  }
  for (Index i = 0; i < lanes; i += 2) {
    s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (Index i = 0; i < lanes; i += 4) {
    for (Index h = 0; h < 2; ++h) {
      r[i + h] = __builtin_shufflevector(s[i + h], s[i + h + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + h + 2] = __builtin_shufflevector(s[i + h], s[i + h + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (Index i = 0; i < 4; ++i) {
    s[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    s[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (Index i = 0; i < lanes; ++i) std::memcpy(to + i * to_stride, &s[i], sizeof(V));
}

}  // namespace detail

/// Computes to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns; strides in elements.
/// The two areas must not overlap. T is float or double. Uses the widest vectors of this processor.
template <class T>
void transpose(const T* from, Index from_stride, Index rows, Index columns, T* to, Index to_stride) {
  const Index whole_rows = rows / lanes * lanes;
  const Index whole_columns = columns / lanes * lanes;
  // Reads eight columns of the source at a time, so that whole lines of the target are written in order.
  with_widest_vectors([&]() __attribute__((always_inline)) {
    for (Index j = 0; j < whole_columns; j += lanes)
      for (Index i = 0; i < whole_rows; i += lanes)
        detail::transpose_tile(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
  });
  for (Index j = 0; j < columns; ++j)
    for (Index i = j < whole_columns ? whole_rows : 0; i < rows; ++i)
      to[j * to_stride + i] = from[i * from_stride + j];
}

}  // namespace loadshare
