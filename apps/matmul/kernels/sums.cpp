#include "apps/matmul/kernels/sums.hpp"

#include <cmath>

#include "apps/common/vectors.hpp"

namespace loadshare::matmul {
namespace {

// Calls add_eight(i, part) for every eight elements at i, where `part` selects half of a sum, and add_one(i)
// for the rest.
template <class AddEight, class AddOne>
[[gnu::always_inline]] inline void for_each_eight(Index size, const AddEight& add_eight,
                                                  const AddOne& add_one) {
  Index i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    add_eight(i, &LaneSum::even);
    add_eight(i + lanes, &LaneSum::odd);
  }
  for (; i < size; ++i) add_one(i);
}

template <class T>
[[gnu::always_inline]] inline void add_product(const double* x, const T* y, Index size, double& out) {
  LaneSum sum;
  for_each_eight(
      size,
      [&](Index i, Eight LaneSum::*half) __attribute__((always_inline)) {
        Eight left;
        Eight right;
        load(x + i, left);
        load(y + i, right);
        sum.*half += left * right;
      },
      [&](Index i) __attribute__((always_inline)) { sum.tail += x[i] * static_cast<double>(y[i]); });
  sum.total_to(out);
}

template <class T>
[[gnu::always_inline]] inline void add_weighted(const double* sums, const double* norms, const T* column,
                                                Index size, WeightedSums& out) {
  LaneSum value;
  LaneSum bound;
  for_each_eight(
      size,
      [&](Index k, Eight LaneSum::*half) __attribute__((always_inline)) {
        Eight b;
        Eight weight;
        load(column + k, b);
        load(sums + k, weight);
        value.*half += weight * b;
        load(norms + k, weight);
        bound.*half += weight * (b < 0 ? -b : b);
      },
      [&](Index k) __attribute__((always_inline)) {
        const double b = column[k];
        value.tail += sums[k] * b;
        bound.tail += norms[k] * std::abs(b);
      });
  value.total_to(out.value);
  bound.total_to(out.bound);
}

template <class T>
[[gnu::always_inline]] inline void add_column(const T* column, Index rows, const LeftFactor& left,
                                              double& sum, double& square) {
  LaneSum sums;
  LaneSum squares;
  for_each_eight(
      rows,
      [&](Index i, Eight LaneSum::*half) __attribute__((always_inline)) {
        Eight value;
        Eight r;
        load(column + i, value);
        load(left.r + i, r);
        sums.*half += r * value;
        value *= left.scale;
        squares.*half += value * value;
      },
      [&](Index i) __attribute__((always_inline)) {
        const double value = column[i];
        sums.tail += left.r[i] * value;
        squares.tail += (left.scale * value) * (left.scale * value);
      });
  double total = 0;
  sums.total_to(total);
  sum += total;
  squares.total_to(total);
  square += total;
}

}  // namespace

template <class T>
double inner_product(const double* x, const T* y, Index size) {
  double sum = 0;
  with_widest_vectors([&]() __attribute__((always_inline)) { add_product(x, y, size, sum); });
  return sum;
}

template <class T>
WeightedSums weighted_sums(const double* sums, const double* norms, const T* column, Index size) {
  WeightedSums out{0, 0};
  with_widest_vectors([&]() __attribute__((always_inline)) { add_weighted(sums, norms, column, size, out); });
  return out;
}

template <class T>
void accumulate_column_major(const T* panel, Index rows, Index inner, const LeftFactor& left,
                             const LeftProduct& product) {
  with_widest_vectors([&]() __attribute__((always_inline)) {
    for (Index k = 0; k < inner; ++k) {
      add_column(panel + k * rows, rows, left, product.sums[k], product.squares[k]);
    }
  });
}

template double inner_product(const double*, const double*, Index);
template double inner_product(const double*, const float*, Index);
template WeightedSums weighted_sums(const double*, const double*, const double*, Index);
template WeightedSums weighted_sums(const double*, const double*, const float*, Index);
template void accumulate_column_major(const double*, Index, Index, const LeftFactor&, const LeftProduct&);
template void accumulate_column_major(const float*, Index, Index, const LeftFactor&, const LeftProduct&);

}  // namespace loadshare::matmul
