#include "apps/cannon/block.hpp"

#include <bit>

#include "apps/common/split_mix.hpp"

namespace loadshare::cannon {

namespace {

constexpr std::uint64_t row_step = split_mix::golden_gamma << 32;

// The top bits become the fraction of a number in [2, 4): no conversion from integer, which would not
// vectorise.
double value_of(std::uint64_t bits) {
  return std::bit_cast<double>(bits >> 12 | 0x4000000000000000U) - 3.0;
}

}  // namespace

void fill_block(const RandomMatrix& matrix, spmd::Part rows, spmd::Part columns, double* out) {
  const std::uint64_t first = split_mix::first_state(matrix.seed, matrix.stream);
  for (Index i = rows.first; i < rows.end(); ++i) {
    const std::uint64_t begin = first + static_cast<std::uint64_t>(i) * row_step;
    for (Index j = columns.first; j < columns.end(); ++j)
      *out++ = value_of(split_mix::mix(begin + static_cast<std::uint64_t>(j) * split_mix::golden_gamma));
  }
}

}  // namespace loadshare::cannon
