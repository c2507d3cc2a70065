#pragma once

#include <algorithm>
#include <cstdint>

#include "base/types.hpp"
#include "schedulers/spec.hpp"

namespace loadshare {

/// dividend / divisor, made whole; dividend >= 0, divisor >= 1, and no value of either overflows.
constexpr Index divided(Index dividend, Index divisor, Rounding rounding) {
  // Processors of before 2020 divide 32 bits several times as fast as 64, and loops are mostly short.
  if (((dividend | divisor) >> 32) == 0) {
    const auto n = static_cast<std::uint32_t>(dividend), d = static_cast<std::uint32_t>(divisor);
    return static_cast<Index>(n / d) + (rounding == Rounding::up && n % d != 0 ? 1 : 0);
  }
  return dividend / divisor + (rounding == Rounding::up && dividend % divisor != 0 ? 1 : 0);
}

/// `size`, but not below `min`, and never more than the `remaining` iterations.
constexpr Index clipped(Index size, Index min, Index remaining) {
  return std::min(std::max(size, min), remaining);
}

/// The workers a technique may divide by: at least 1, whatever the shape says.
constexpr Index divisible_workers(const LoopShape& shape) {
  return std::max<Index>(shape.workers, 1);
}

}  // namespace loadshare
