#include "apps/matmul/kernels/naive.hpp"

#include <algorithm>

#include "apps/matmul/kernels/row_major.hpp"

namespace loadshare::matmul {
namespace {

template <class T>
T inner_product(const T* x, const T* y, Index size) {
  T sum = 0;
  for (Index k = 0; k < size; ++k) sum += x[k] * y[k];
  return sum;
}

}  // namespace

template <class T>
void NaiveKernel<T>::prepare(T*, Index, Index) const {}

template <class T>
void NaiveKernel<T>::multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const {
  const Index inner = a.inner();
  if (inner == 0) {  // there are no panels to ask for
    std::fill_n(c, a.rows() * columns, T{0});
    return;
  }
  for (Index p = 0; p < a.panels(); ++p) {
    const T* panel = a.panel(p);
    for (Index j = 0; j < columns; ++j) {
      T* target = c + j * a.rows() + p * panel_rows;
      for (Index i = 0; i < a.rows_in(p); ++i) {
        target[i] = inner_product(panel + i * inner, b + j * inner, inner);
      }
    }
  }
}

template <class T>
void NaiveKernel<T>::unpack(const T* panel, Index rows, Index inner, T* out) const {
  unpack_row_major(panel, rows, inner, out);
}

template <class T>
void NaiveKernel<T>::accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                                     const LeftProduct& product) const {
  accumulate_row_major(panel, rows, inner, left, product);
}

template class NaiveKernel<double>;
template class NaiveKernel<float>;

}  // namespace loadshare::matmul
