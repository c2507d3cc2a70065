#include "apps/common/matrix/generate.hpp"

#include <bit>

#include "base/random.hpp"

namespace loadshare {
namespace {

using split_mix::golden_gamma;
using split_mix::mix;

constexpr std::uint64_t row_step = golden_gamma << 32;

std::uint64_t first_state(RandomMatrix matrix) {
  return split_mix::first_state(matrix.seed, matrix.stream);
}

// The top bits become the fraction of a number in [2, 4). A conversion from integer would prevent
// vectorization.
inline void put(std::uint64_t bits, double& out) {
  out = std::bit_cast<double>(bits >> 12 | 0x4000000000000000U) - 3.0;
}
inline void put(std::uint64_t bits, float& out) {
  out = std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 41) | 0x40000000U) - 3.0F;
}

template <class T>
void generate_line(std::uint64_t state, std::uint64_t step, Index count, T* out) {
  for (Index i = 0; i < count; ++i) put(mix(state + static_cast<std::uint64_t>(i) * step), out[i]);
}

}  // namespace

template <class T>
void generate_block(RandomMatrix matrix, Chunk rows, Chunk columns, T* out) {
  const std::uint64_t begin = first_state(matrix) + static_cast<std::uint64_t>(columns.first) * golden_gamma;
  for (Index row = rows.first; row < rows.end(); ++row, out += columns.size)
    generate_line(begin + static_cast<std::uint64_t>(row) * row_step, golden_gamma, columns.size, out);
}

template <class T>
void generate_columns(RandomMatrix matrix, Index first_column, Index rows, Index cols, T* out) {
  const std::uint64_t begin = first_state(matrix) + static_cast<std::uint64_t>(first_column) * golden_gamma;
  for (Index col = 0; col < cols; ++col)
    generate_line(begin + static_cast<std::uint64_t>(col) * golden_gamma, row_step, rows, out + col * rows);
}

template void generate_block(RandomMatrix, Chunk, Chunk, float*);
template void generate_block(RandomMatrix, Chunk, Chunk, double*);
template void generate_columns(RandomMatrix, Index, Index, Index, float*);
template void generate_columns(RandomMatrix, Index, Index, Index, double*);

}  // namespace loadshare
