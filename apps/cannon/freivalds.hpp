#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/cannon/multiplication.hpp"

namespace loadshare::cannon {

/// Returns `size` random numbers with random sign and magnitude in [1/2, 1), the same on every rank.
std::vector<double> random_signs(Index size, std::uint64_t seed);

/// Adds the products of a row-major block and its part of a vector to `sums`, and the products of their
/// magnitudes to `bounds`. The vectors contain only this part: one element per column or row of the block.
void add_products(std::span<const double> block, std::span<const double> x, std::span<const double> x_bounds,
                  std::span<double> sums, std::span<double> bounds);

/// Returns the rows in which C x and A (B x) differ by more than rounding errors of sums of `size` products.
std::vector<Index> differing_rows(std::span<const double> differences, std::span<const double> bounds,
                                  Index size);

/// Freivalds' check from the right (R. Freivalds, "Probabilistic machines can use less running time", IFIP
/// 1977): compares C x with A (B x) for a random x, each rank with its own blocks. Returns the wrong rows,
/// the same on every rank. Rounding is bounded for the worst case, as in Higham's "Accuracy and Stability of
/// Numerical Algorithms", section 3.5, so a correct row is never reported.
std::vector<Index> wrong_rows(Multiplication& product, spmd::Exchange& exchange, Index size,
                              std::uint64_t seed);

}  // namespace loadshare::cannon
