#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace loadshare {

/// A random matrix: its seed, and its number among the matrices of that seed (for example 0 for A, 1 for B).
struct RandomMatrix {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;
};

/// Fills `out`, row after row, with a block of the matrix. Values are uniform in [-1, 1), multiples of 2^-51
/// (float: 2^-22), and depend only on seed, stream, row and column: parts can be generated in any order on
/// any rank. T is float or double.
///
/// An element is one number of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014; the mixing constants are Stafford's variant 13), used as a function of its
/// position in the sequence: position row * 2^32 + column of the sequence that begins at a mix of seed and
/// stream.
template <class T>
void generate_block(RandomMatrix matrix, Chunk rows, Chunk columns, T* out);

/// Generates rows [first_row, first_row + rows) with columns [0, cols).
template <class T>
void generate_rows(RandomMatrix matrix, Index first_row, Index rows, Index cols, T* out) {
  generate_block(matrix, {first_row, rows}, {0, cols}, out);
}

/// Generates the same values in column-major order: columns [first_column, first_column + cols), rows [0,
/// rows).
template <class T>
void generate_columns(RandomMatrix matrix, Index first_column, Index rows, Index cols, T* out);

}  // namespace loadshare
