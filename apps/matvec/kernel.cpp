#include "apps/matvec/kernel.hpp"

#include <algorithm>
#include <cstring>

#include "apps/common/vectors.hpp"

namespace loadshare::matvec {
namespace {

template <class T>
struct Vector {
  using Type [[gnu::vector_size(32)]] = T;
};
template <class T>
inline constexpr Index width = 32 / sizeof(T);

constexpr Index sums = 4;                         // independent additions
constexpr Index steps = 32;                       // of a block, each of `sums` vectors
static_assert(block_roundings == 1 + steps + 2);  // the product, its additions, and those of the sums

template <class T>
[[gnu::always_inline]] inline void add_products(const T* row, const T* x, typename Vector<T>::Type& sum) {
  typename Vector<T>::Type a;
  typename Vector<T>::Type b;
  std::memcpy(&a, row, sizeof(a));
  std::memcpy(&b, x, sizeof(b));
  sum += a * b;
}

/// Adds at most one block, in whole steps.
template <class T>
[[gnu::always_inline]] inline void add_block(const T* row, const T* x, Index size, double& out) {
  typename Vector<T>::Type sum[sums] = {};
  for (Index i = 0; i < size; i += sums * width<T>)
    for (Index s = 0; s < sums; ++s) add_products(row + i + s * width<T>, x + i + s * width<T>, sum[s]);
  const typename Vector<T>::Type total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (Index lane = 0; lane < width<T>; ++lane) out += static_cast<double>(total[lane]);
}

template <class T>
[[gnu::always_inline]] inline void sum_products(const T* row, const T* x, Index size, double& out) {
  constexpr Index step = sums * width<T>;
  const Index whole = size / step * step;
  for (Index i = 0; i < whole; i += steps * step)
    add_block(row + i, x + i, std::min(steps * step, whole - i), out);
  for (Index i = whole; i < size; ++i) out += static_cast<double>(row[i]) * static_cast<double>(x[i]);
}

}  // namespace

template <class T>
double row_product(const T* row, const T* x, Index size) {
  double sum = 0;
  with_widest_vectors([&]() __attribute__((always_inline)) { sum_products(row, x, size, sum); });
  return sum;
}

template double row_product(const float*, const float*, Index);
template double row_product(const double*, const double*, Index);

}  // namespace loadshare::matvec
