#include "apps/matmul/kernels/blas_calls.hpp"

#include <limits>

namespace loadshare::matmul {
namespace {

CBLAS_TRANSPOSE transposition(Storage storage) {
  return storage == Storage::row_major ? CblasTrans : CblasNoTrans;
}

// BLAS requires leading dimensions of at least 1, even for empty matrices.
int stride(Index elements) {
  return elements < 1 ? 1 : static_cast<int>(elements);
}

template <class T, class Gemm>
void call(Gemm gemm, const Product<T>& p) {
  const blas::CallRoom room;
  const Index a_stride = p.a_storage == Storage::row_major ? p.inner : p.rows;
  gemm(CblasColMajor, transposition(p.a_storage), CblasNoTrans, static_cast<int>(p.rows),
       static_cast<int>(p.columns), static_cast<int>(p.inner), T{1}, p.a, stride(a_stride), p.b,
       stride(p.b_stride), T{0}, p.c, stride(p.c_stride));
}

}  // namespace

void gemm(const Product<double>& product, const blas::Library& library) {
  call(library.dgemm, product);
}

void gemm(const Product<float>& product, const blas::Library& library) {
  call(library.sgemm, product);
}

bool fits_blas(Index size) {
  return size <= std::numeric_limits<int>::max();
}

}  // namespace loadshare::matmul
