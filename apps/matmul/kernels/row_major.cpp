#include "apps/matmul/kernels/row_major.hpp"

#include <algorithm>

#include "apps/common/vectors.hpp"

namespace loadshare::matmul {
namespace {

constexpr Index block = 512;  // sums of one block stay in the first cache while the rows pass by

template <class T>
[[gnu::always_inline]] inline void add_block(const T* panel, Index rows, Index stride, Index size,
                                             const LeftFactor& left, const LeftProduct& product) {
  double sums[block] = {};
  double squares[block] = {};
  for (Index i = 0; i < rows; ++i) {
    const T* row = panel + i * stride;
    for (Index k = 0; k < size; ++k) {
      const double value = row[k];
      const double scaled = value * left.scale;
      sums[k] += left.r[i] * value;
      squares[k] += scaled * scaled;
    }
  }
  for (Index k = 0; k < size; ++k) {
    product.sums[k] += sums[k];
    product.squares[k] += squares[k];
  }
}

}  // namespace

template <class T>
void unpack_row_major(const T* panel, Index rows, Index inner, T* out) {
  std::copy_n(panel, rows * inner, out);
}

template <class T>
void accumulate_row_major(const T* panel, Index rows, Index inner, const LeftFactor& left,
                          const LeftProduct& product) {
  with_widest_vectors([&]() __attribute__((always_inline)) {
    for (Index first = 0; first < inner; first += block) {
      add_block(panel + first, rows, inner, std::min(block, inner - first), left,
                {product.sums + first, product.squares + first});
    }
  });
}

template void unpack_row_major(const double*, Index, Index, double*);
template void unpack_row_major(const float*, Index, Index, float*);
template void accumulate_row_major(const double*, Index, Index, const LeftFactor&, const LeftProduct&);
template void accumulate_row_major(const float*, Index, Index, const LeftFactor&, const LeftProduct&);

}  // namespace loadshare::matmul
