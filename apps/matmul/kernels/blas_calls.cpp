#include "apps/matmul/kernels/blas_calls.hpp"

#include <cblas.h>

#include <limits>

namespace loadshare::matmul {
namespace {

CBLAS_TRANSPOSE transposition(Storage storage) {
  return storage == Storage::row_major ? CblasTrans : CblasNoTrans;
}

// BLAS insists on leading dimensions of at least 1, for empty matrices too.
int stride(Index elements) {
  return elements < 1 ? 1 : static_cast<int>(elements);
}

}  // namespace

void gemm(const Product<double>& p) {
  const Index a_stride = p.a_storage == Storage::row_major ? p.inner : p.rows;
  cblas_dgemm(CblasColMajor, transposition(p.a_storage), CblasNoTrans, static_cast<int>(p.rows),
              static_cast<int>(p.columns), static_cast<int>(p.inner), 1.0, p.a, stride(a_stride), p.b,
              stride(p.b_stride), 0.0, p.c, stride(p.c_stride));
}

void gemm(const Product<float>& p) {
  const Index a_stride = p.a_storage == Storage::row_major ? p.inner : p.rows;
  cblas_sgemm(CblasColMajor, transposition(p.a_storage), CblasNoTrans, static_cast<int>(p.rows),
              static_cast<int>(p.columns), static_cast<int>(p.inner), 1.0F, p.a, stride(a_stride), p.b,
              stride(p.b_stride), 0.0F, p.c, stride(p.c_stride));
}

bool fits_blas(Index size) {
  return size <= std::numeric_limits<int>::max();
}

void use_one_blas_thread() {
  static const bool is_done = (set_blas_threads(1), true);
  static_cast<void>(is_done);
}

void set_blas_threads(int threads) {
  openblas_set_num_threads(threads);
}

int blas_threads() {
  return openblas_get_num_threads();
}

const char* blas_version() {
  return openblas_get_config();
}

}  // namespace loadshare::matmul
