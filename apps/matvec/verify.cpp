#include "apps/matvec/verify.hpp"

#include <cmath>
#include <limits>

#include "apps/matvec/kernel.hpp"

namespace loadshare::matvec {
namespace {

/// The correct value of an element of y.
struct Reference {
  long double sum = 0;
  long double of_magnitudes = 0;
};

template <class T>
Reference reference(const T* row, const T* x, Index columns) {
  Reference result;
  for (Index j = columns; j-- > 0;) {
    const long double product = static_cast<long double>(row[j]) * static_cast<long double>(x[j]);
    result.sum += product;
    result.of_magnitudes += std::abs(product);
  }
  return result;
}

template <class T>
bool is_right(T y, const Reference& right, Index columns) {
  constexpr long double rounding = std::numeric_limits<T>::epsilon() / 2;
  constexpr long double rounding_of_sums = std::numeric_limits<double>::epsilon() / 2;
  const auto terms = static_cast<long double>(columns + 2);
  const long double of_sum = block_roundings * rounding + terms * rounding_of_sums;
  // The smallest number of T accounts for underflow.
  const long double bound = rounding * std::abs(right.sum) + of_sum * right.of_magnitudes +
                            terms * std::numeric_limits<T>::denorm_min();
  if (std::isfinite(y))
    return std::isfinite(right.sum) && std::abs(static_cast<long double>(y) - right.sum) <= bound;
  if (std::isnan(y) || std::isnan(right.sum)) return std::isnan(y) && std::isnan(right.sum);
  const bool overflows = !(std::abs(right.sum) + bound < std::numeric_limits<T>::max());
  return overflows && std::signbit(y) == std::signbit(right.sum);
}

}  // namespace

template <class T>
LoopCheck verify(const ProductShape& shape, const ProductMatrices<T>& operands) {
  LoopCheck check{"row", shape.rows};
  const T* row = operands.a.data();
  for (Index i = 0; i < shape.rows; ++i, row += shape.inner) {
    const Reference right = reference(row, static_cast<const T*>(operands.b.data()), shape.inner);
    if (!is_right(operands.c[static_cast<std::size_t>(i)], right, shape.inner)) check.add_wrong(i);
  }
  return check;
}

template LoopCheck verify(const ProductShape&, const ProductMatrices<float>&);
template LoopCheck verify(const ProductShape&, const ProductMatrices<double>&);

}  // namespace loadshare::matvec
