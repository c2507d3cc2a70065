#include "apps/cannon/freivalds.hpp"

#include <cmath>
#include <limits>

namespace loadshare::cannon {

namespace {

constexpr std::uint32_t stream_of_signs = 2;  // different from the streams of A and B

std::span<double> part_of(std::vector<double>& values, spmd::Part part, Index offset = 0) {
  return std::span(values).subspan(static_cast<std::size_t>(offset + part.first),
                                   static_cast<std::size_t>(part.size));
}

std::vector<double> magnitudes(std::span<const double> values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(std::abs(value));
  return result;
}

}  // namespace

std::vector<double> random_signs(Index size, std::uint64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(size));
  generate_block({seed, stream_of_signs}, {0, 1}, {0, size}, values.data());
  for (double& value : values) value = std::copysign(0.5 + std::abs(value) / 2, value);
  return values;
}

void add_products(std::span<const double> block, std::span<const double> x, std::span<const double> x_bounds,
                  std::span<double> sums, std::span<double> bounds) {
  const double* element = block.data();
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j, ++element) {
      sums[i] += *element * x[j];
      bounds[i] += std::abs(*element) * x_bounds[j];
    }
}

std::vector<Index> differing_rows(std::span<const double> differences, std::span<const double> bounds,
                                  Index size) {
  constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
  // Three sums of `size` products in a row (B x, A (B x) or C, C x), and some for the bound itself.
  const double share = (3 * static_cast<double>(size) + 16) * unit_roundoff;
  std::vector<Index> rows;
  for (std::size_t i = 0; i < differences.size(); ++i)
    if (!(std::abs(differences[i]) <= share * bounds[i])) rows.push_back(static_cast<Index>(i));
  return rows;
}

std::vector<Index> wrong_rows(Multiplication& product, spmd::Exchange& exchange, Index size,
                              std::uint64_t seed) {
  const spmd::Part rows = product.rows();
  const spmd::Part columns = product.columns();
  std::vector<double> x = random_signs(size, seed);
  const std::vector<double> x_bounds = magnitudes(part_of(x, columns));
  // The first half contains the sums, the second their bounds, so that one message adds up both.
  std::vector<double> bx(static_cast<std::size_t>(2 * size));
  add_products(product.make_b(), part_of(x, columns), x_bounds, part_of(bx, rows), part_of(bx, rows, size));
  exchange.sum(std::span(bx));
  std::vector<double> difference(bx.size());
  add_products(product.make_a(), part_of(bx, columns), part_of(bx, columns, size), part_of(difference, rows),
               part_of(difference, rows, size));
  for (double& value : x) value = -value;
  add_products(product.c(), part_of(x, columns), x_bounds, part_of(difference, rows),
               part_of(difference, rows, size));
  exchange.sum(std::span(difference));
  const std::span<const double> all(difference);
  const auto half = static_cast<std::size_t>(size);
  return differing_rows(all.first(half), all.subspan(half), size);
}

}  // namespace loadshare::cannon
