#pragma once

#include "apps/common/blas/library.hpp"
#include "base/types.hpp"

namespace loadshare::matmul {

/// The storage order of a product's first factor.
enum class Storage { column_major, row_major };

/// C = A B by one BLAS call. A is rows x inner without gaps between its rows or columns. B is column-major
/// with leading dimension `b_stride`, C is column-major with leading dimension `c_stride`. Every dimension
/// must fit in an int; see `fits_blas`.
template <class T>
struct Product {
  Index rows;
  Index inner;
  Index columns;
  const T* a;
  Storage a_storage;
  const T* b;
  Index b_stride;
  T* c;
  Index c_stride;
};
void gemm(const Product<double>& product, const blas::Library& library = blas::openblas().library);
void gemm(const Product<float>& product, const blas::Library& library = blas::openblas().library);

inline void use_one_blas_thread() {
  blas::use_one_thread();
}

/// Whether BLAS, whose sizes are ints, supports this size.
bool fits_blas(Index size);

}  // namespace loadshare::matmul
