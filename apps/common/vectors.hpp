#pragma once

#include <cstring>

#include "base/types.hpp"

namespace loadshare {

/// Eight numbers in vector registers. Depending on the target, the compiler uses one, two or four registers.
using Eight [[gnu::vector_size(64)]] = double;
inline constexpr Index lanes = 8;

// Passes references and inlines everything, because passing vectors by value would change the calling
// convention.
[[gnu::always_inline]] inline void load(const double* from, Eight& to) {
  std::memcpy(&to, from, sizeof(Eight));
}

[[gnu::always_inline]] inline void load(const float* from, Eight& to) {
  using EightFloats [[gnu::vector_size(32)]] = float;
  EightFloats values;
  std::memcpy(&values, from, sizeof(EightFloats));
  to = __builtin_convertvector(values, Eight);
}

/// One sum as two vectors, so that additions do not wait for each other, and a remainder.
struct LaneSum {
  Eight even = {};
  Eight odd = {};
  double tail = 0;

  [[gnu::always_inline]] void total_to(double& out) const {
    const Eight both = even + odd;
    out = ((both[0] + both[1]) + (both[2] + both[3])) + ((both[4] + both[5]) + (both[6] + both[7])) + tail;
  }
};

namespace detail {

template <class Work>
[[gnu::target("avx512f,fma")]] void run_avx512(const Work& work) {
  work();
}

template <class Work>
[[gnu::target("avx2,fma")]] void run_avx2(const Work& work) {
  work();
}

enum class Vectors { plain, avx2, avx512 };

inline Vectors widest_vectors() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) return Vectors::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::avx2;
  return Vectors::plain;
}

}  // namespace detail

/// Runs `work`, a callable marked always_inline, in code compiled for the widest vectors of this processor.
/// Selected explicitly, because a resolver made by target_clones would run before a sanitizer's runtime is
/// ready.
template <class Work>
void with_widest_vectors(const Work& work) {
  static const detail::Vectors widest = detail::widest_vectors();
  if (widest == detail::Vectors::avx512) {
    detail::run_avx512(work);
  } else if (widest == detail::Vectors::avx2) {
    detail::run_avx2(work);
  } else {
    work();
  }
}

}  // namespace loadshare
