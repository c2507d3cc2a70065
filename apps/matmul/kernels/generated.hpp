#pragma once

#include <array>
#include <cstddef>

#include "base/types.hpp"

namespace loadshare::matmul {

/// Whether a product replaces what its target holds or is added to it.
enum class Into { overwrite, add };

/// Whether a product also brings the block of A that is multiplied next into the second cache.
enum class Ahead { nothing, next_block };

/// Products of one block of A with a few columns of B, by code that libxsmm generates for exactly these sizes
/// on this processor. A is rows x inner and B inner x columns, both column-major without gaps; columns of C
/// lie `c_stride` elements apart.
template <class T>
class GeneratedBlock {
 public:
  /// Columns a call takes at most: six columns of 32 rows fill 24 of the 32 vector registers of AVX-512, and
  /// libxsmm cuts wider products into such pieces anyway.
  static constexpr Index widest = 6;

  GeneratedBlock() = default;
  GeneratedBlock(Index rows, Index inner, Index c_stride);

  /// False where libxsmm has no code for this size on this processor.
  bool is_available() const { return is_available_; }

  /// C (+)= A B for 1 <= columns <= widest. With Ahead::next_block the block of A at `next_a` is brought into
  /// the second cache meanwhile: that is what keeps narrow chunks, for which A streams from memory, at the
  /// speed of wide ones. Asking for a block that is already there costs up to a fifth.
  void multiply(const T* a, const T* b, T* c, Index columns, Into into, Ahead ahead, const T* next_a) const {
    codes_[static_cast<std::size_t>(into)][static_cast<std::size_t>(ahead)]
          [static_cast<std::size_t>(columns)](a, b, c, next_a, b, c);
  }

 private:
  using Code = void (*)(const T* a, const T* b, T* c, ...);

  std::array<std::array<std::array<Code, widest + 1>, 2>, 2> codes_{};
  bool is_available_ = true;  // an empty block needs no code
};

/// How wide the vectors of the generated code are on this processor.
Index generated_vector_bytes();

/// The library and the instruction set it generates for here, e.g. "libxsmm 1.17 (cpx)", for the record.
const char* generated_code_version();

}  // namespace loadshare::matmul
