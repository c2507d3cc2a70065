#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace loadshare::bench {

/// C = A B of square matrices of T, the same that `matmul --size N --seed S` multiplies. A is row-major, B
/// and C are column-major; every page has been touched.
template <class T>
struct SquareProduct {
  SquareProduct(Index size, std::uint64_t seed);

  /// Checks C by Freivalds' method; throws Error(run_failed) naming the wrong columns.
  void require_right() const;

  Index size;
  std::uint64_t seed;
  std::vector<T> a, b, c;
};

/// Returns the floating-point operations of a product of that size.
double square_operations(Index size);

}  // namespace loadshare::bench
