#include "apps/matmul/kernels/transpose.hpp"

#include <cstring>

#include "apps/common/vectors.hpp"

namespace loadshare::matmul {
namespace {

constexpr Index tile = 8;
constexpr Index ahead_bytes = 512;  // far enough for memory's latency, near enough to stay in the first cache

template <class T>
struct Area {
  const T* from;
  Index from_stride;
  Index rows;
  Index columns;
  T* to;
  Index to_stride;
};

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

// Eight rows of eight in registers, transposed in three rounds of two-operand shuffles.
template <class T>
[[gnu::always_inline]] inline void transpose_tile(const T* from, Index from_stride, T* to, Index to_stride) {
  using V = typename VectorOf<T>::Lanes;
  V r[tile];
  V s[tile];
  for (Index i = 0; i < tile; ++i) {
    std::memcpy(&r[i], from + i * from_stride, sizeof(V));
    __builtin_prefetch(reinterpret_cast<const char*>(from + i * from_stride) + ahead_bytes);
  }
  for (Index i = 0; i < tile; i += 2) {
    s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (Index i = 0; i < tile; i += 4) {
    for (Index h = 0; h < 2; ++h) {
      r[i + h] = __builtin_shufflevector(s[i + h], s[i + h + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + h + 2] = __builtin_shufflevector(s[i + h], s[i + h + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (Index i = 0; i < 4; ++i) {
    s[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    s[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (Index i = 0; i < tile; ++i) std::memcpy(to + i * to_stride, &s[i], sizeof(V));
}

template <class T>
void transpose_plainly(const Area<T>& area, Index first_row, Index first_column) {
  for (Index j = first_column; j < area.columns; ++j) {
    for (Index i = first_row; i < area.rows; ++i) {
      area.to[j * area.to_stride + i] = area.from[i * area.from_stride + j];
    }
  }
}

// Eight columns of the source at a time, so that whole lines of the target are written one after the other.
template <class T>
[[gnu::always_inline]] inline void transpose_tiles(const Area<T>& area) {
  for (Index j = 0; j + tile <= area.columns; j += tile) {
    for (Index i = 0; i + tile <= area.rows; i += tile) {
      transpose_tile(area.from + i * area.from_stride + j, area.from_stride, area.to + j * area.to_stride + i,
                     area.to_stride);
    }
  }
}

template <class T>
void transpose_area(const Area<T>& area) {
  with_widest_vectors([&]() __attribute__((always_inline)) { transpose_tiles(area); });
  const Index whole_rows = area.rows / tile * tile;
  const Index whole_columns = area.columns / tile * tile;
  Area<T> left = area;
  left.columns = whole_columns;
  transpose_plainly(left, whole_rows, 0);
  transpose_plainly(area, 0, whole_columns);
}

}  // namespace

void transpose(const double* from, Index from_stride, Index rows, Index columns, double* to,
               Index to_stride) {
  transpose_area(Area<double>{from, from_stride, rows, columns, to, to_stride});
}

void transpose(const float* from, Index from_stride, Index rows, Index columns, float* to, Index to_stride) {
  transpose_area(Area<float>{from, from_stride, rows, columns, to, to_stride});
}

}  // namespace loadshare::matmul
