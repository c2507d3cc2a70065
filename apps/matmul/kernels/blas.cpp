#include "apps/matmul/kernels/blas.hpp"

#include <algorithm>

#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/row_major.hpp"

namespace loadshare::matmul {

template <class T>
BlasKernel<T>::BlasKernel() {
  use_one_blas_thread();
}

template <class T>
void BlasKernel<T>::prepare(T*, Index, Index) const {}

template <class T>
void BlasKernel<T>::multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const {
  const Index rows = a.rows();
  const Index inner = a.inner();
  if (rows == 0 || columns == 0) return;
  if (inner == 0) {
    std::fill_n(c, rows * columns, T{0});
    return;
  }
  // The one call reads all of A, so every panel must have arrived before it.
  const T* first = a.panel(0);
  for (Index i = 1; i < a.panels(); ++i) a.panel(i);
  gemm(Product<T>{rows, inner, columns, first, Storage::row_major, b, inner, c, rows});
}

template <class T>
void BlasKernel<T>::unpack(const T* panel, Index rows, Index inner, T* out) const {
  unpack_row_major(panel, rows, inner, out);
}

template <class T>
void BlasKernel<T>::accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                                    const LeftProduct& product) const {
  accumulate_row_major(panel, rows, inner, left, product);
}

template class BlasKernel<double>;
template class BlasKernel<float>;

}  // namespace loadshare::matmul
