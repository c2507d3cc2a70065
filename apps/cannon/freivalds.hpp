#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/cannon/multiplication.hpp"

namespace loadshare::cannon {

/// `size` random numbers with a random sign and a magnitude in [1/2, 1), the same on every rank.
std::vector<double> random_signs(Index size, std::uint64_t seed);

/// Adds to `sums` and `bounds` what a row-major block makes of its part of a vector: sums of products, and of
/// their magnitudes. All but the block are of this part: as long as it has rows or columns.
void add_products(std::span<const double> block, std::span<const double> x, std::span<const double> x_bounds,
                  std::span<double> sums, std::span<double> bounds);

/// The rows in which C x and A (B x) differ by more than rounding can do to sums of `size` products.
std::vector<Index> differing_rows(std::span<const double> differences, std::span<const double> bounds,
                                  Index size);

/// Freivalds' check from the right (R. Freivalds, "Probabilistic machines can use less running time", IFIP
/// 1977): with a random x it compares C x with A (B x), every rank by its own blocks. Returns the wrong rows,
/// the same on every rank. What rounding may do is bounded as in Higham's "Accuracy and Stability of
/// Numerical Algorithms", section 3.5, without luck: a row that is right is never called wrong.
std::vector<Index> wrong_rows(Multiplication& product, spmd::Exchange& exchange, Index size,
                              std::uint64_t seed);

}  // namespace loadshare::cannon
