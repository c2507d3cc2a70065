#pragma once

#include <array>
#include <cstddef>

#include "base/types.hpp"

namespace loadshare::matmul {

/// Whether a product replaces what its target holds or is added to it.
enum class Into { overwrite, add };

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

  /// C (+)= A B for 1 <= columns <= widest, while the block of A at `next_a` is brought into the second
  /// cache: that is what keeps narrow chunks, for which A streams from memory, at the speed of wide ones.
  void multiply(const T* a, const T* b, T* c, Index columns, Into into, const T* next_a) const {
    codes_[static_cast<std::size_t>(into)][static_cast<std::size_t>(columns)](a, b, c, next_a, b, c);
  }

 private:
  using Code = void (*)(const T* a, const T* b, T* c, ...);

  std::array<std::array<Code, widest + 1>, 2> codes_{};
  bool is_available_ = true;  // an empty block needs no code
};

/// The library and the instruction set it generates for here, e.g. "libxsmm 1.17 (cpx)", for the record.
const char* generated_code_version();

}  // namespace loadshare::matmul
