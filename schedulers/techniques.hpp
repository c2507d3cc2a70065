#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/spec.hpp"

namespace loadshare {

// What the techniques share.

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

/// The workers a technique may divide by: at least 1, whatever the facts say.
constexpr Index divisible_workers(const LoopFacts& loop) {
  return std::max<Index>(loop.workers, 1);
}

/// Chunk sizes worth trying for a fixed size, the largest first: ..., 8, 5, 3, 2, 1, in steps of some 1.6,
/// from a quarter of a worker's share of the loop, beyond which the last chunks alone decide, down to a
/// 4096th.
std::vector<Index> sizes_worth_trying(const LoopFacts& loop);

/// First chunks worth trying for sizes that fall: a half, a quarter and an eighth of a worker's share.
std::vector<Index> shares_worth_trying(const LoopFacts& loop);

/// The prefix with each of the values behind it: "gss:9", "gss:14".
std::vector<std::string> specs_of(std::string_view prefix, const std::vector<Index>& values);

}  // namespace loadshare
