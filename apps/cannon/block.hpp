#pragma once

#include <cstdint>

#include "apps/spmd/parts.hpp"

namespace loadshare::cannon {

/// A random matrix: its seed, and which matrix of that seed it is.
struct RandomMatrix {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;
};

/// Fills out, row after row, with a block of the matrix: values in [-1, 1) that depend on seed, stream, row
/// and column alone, so that every rank can make its own blocks. They are those of matmul's random matrices.
void fill_block(const RandomMatrix& matrix, spmd::Part rows, spmd::Part columns, double* out);

}  // namespace loadshare::cannon
