#pragma once

#include <array>
#include <cstddef>

#include "base/types.hpp"

namespace loadshare::matmul {

/// Whether a product overwrites its target or is added to it.
enum class Into { overwrite, add };

/// Whether a product also prefetches the next block of A into the second cache.
enum class Ahead { nothing, next_block };

/// Products of one block of A with a few columns of B, by code that libxsmm generates for exactly these sizes
/// on this processor. A is rows x inner and B inner x columns, both column-major without gaps. Columns of C
/// are `c_stride` elements apart.
template <class T>
class GeneratedBlock {
 public:
  /// Maximum number of columns per call. Six columns of 32 rows fill 24 of the 32 vector registers of
  /// AVX-512, and libxsmm divides wider products into such pieces anyway.
  static constexpr Index widest = 6;

  GeneratedBlock() = default;
  GeneratedBlock(Index rows, Index inner, Index c_stride);

  /// Whether libxsmm has code for this size on this processor.
  bool is_available() const { return is_available_; }

  /// Computes C (+)= A B for 1 <= columns <= widest. Ahead::next_block prefetches the block of A at `next_a`
  /// into the second cache. With narrow chunks A streams from memory, and the prefetch makes them as fast as
  /// wide ones. Prefetching a block that is already there costs up to a fifth of the speed.
  void multiply(const T* a, const T* b, T* c, Index columns, Into into, Ahead ahead, const T* next_a) const {
    codes_[static_cast<std::size_t>(into)][static_cast<std::size_t>(ahead)]
          [static_cast<std::size_t>(columns)](a, b, c, next_a, b, c);
  }

 private:
  using Code = void (*)(const T* a, const T* b, T* c, ...);

  std::array<std::array<std::array<Code, widest + 1>, 2>, 2> codes_{};
  bool is_available_ = true;  // an empty block needs no code
};

/// Returns the vector width in bytes of the code generated for this processor.
Index generated_vector_bytes();

/// Returns the library and its instruction set here, for example "libxsmm 1.17 (cpx)", for the record.
const char* generated_code_version();

}  // namespace loadshare::matmul
