#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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

/// `size` >= 0, made whole; at most what an Index holds, where it is larger or no number. What is whole but
/// for rounding errors stays so.
constexpr Index whole(double size, Rounding rounding) {
  constexpr double error = 1e-12;  // of formulas of a few operations, relative; far below any real remainder
  if (!(size < static_cast<double>(std::numeric_limits<Index>::max())))
    return std::numeric_limits<Index>::max();
  const double tolerated = error * size;
  return static_cast<Index>(size + (rounding == Rounding::up ? std::max(1 - tolerated, 0.0) : tolerated));
}

/// `size`, but not below `min`, and never more than the `remaining` iterations.
constexpr Index clipped(Index size, Index min, Index remaining) {
  return std::min(std::max(size, min), remaining);
}

/// The workers a technique may divide by: at least 1, whatever the facts say.
constexpr Index divisible_workers(const LoopFacts& loop) {
  return std::max<Index>(loop.workers, 1);
}

/// Half of a worker's share of the loop, rounded to nearest.
Index half_share(const LoopFacts& loop);

/// Chunks in groups of as many as there are workers.
class Groups {
 public:
  /// Whether the next chunk is the first of a group, which then has `workers` >= 1 chunks.
  bool begin(Index workers) {
    const bool is_first = left_ == 0;
    left_ = (is_first ? workers : left_) - 1;
    return is_first;
  }

 private:
  Index left_ = 0;  // chunks of this group
};

// Parameters that several techniques have, as help shows them.
ParameterInfo min_info();
/// How `what` becomes whole.
ParameterInfo round_info(std::string default_text, std::string_view what);
ParameterInfo mu_info();
ParameterInfo sigma_info();
ParameterInfo overhead_info();

// What a loop's iterations and chunks cost, in seconds: as the spec has it, else as it was measured when the
// loop last ran; each throws UsageError, which says what to give, where neither is known.

double mu_of(const SchedulerSpec& spec, const LoopFacts& loop);
double sigma_of(const SchedulerSpec& spec, const LoopFacts& loop);
/// At least `least`.
double overhead_of(const SchedulerSpec& spec, const LoopFacts& loop, double least);

/// Seconds that a rate can follow from: no shorter than any clock can tell and no longer than 30 million
/// years, so that rates, variances and their sums are finite; 0 where `seconds` is no positive, finite number
/// and says nothing.
constexpr double telling_s(double seconds) {
  constexpr double shortest_s = 1e-9, longest_s = 1e15;
  const bool tells = seconds > 0 && seconds <= std::numeric_limits<double>::max();
  return tells ? std::clamp(seconds, shortest_s, longest_s) : 0;
}

/// What of a chunk's time a technique counts: computing, where that was measured, or the whole response.
enum class Counted { computing, response };

/// That time, as telling_s has it.
constexpr double counted_s(const ChunkTimes& times, Counted counted) {
  return telling_s(counted == Counted::response ? times.response_s
                                                : times.compute_s.value_or(times.response_s));
}

/// For techniques that neither `auto` nor `predict` tries of themselves: each that they try costs time, and
/// these need what nobody knows beforehand, or hardly differ from others that are tried.
std::vector<std::string> nothing_worth_trying(const LoopFacts& loop);

/// Chunk sizes worth trying for a fixed size, the largest first: a worker's share of the loop in 4, 7, 11,
/// 18, ... chunks (in steps of some 1.6, up to some 4,000), so that the last chunk leaves none of equal
/// workers behind; of larger ones than a quarter of a share the last chunks alone decide.
std::vector<Index> sizes_worth_trying(const LoopFacts& loop);

/// First chunks worth trying for sizes that fall: a half, a quarter and an eighth of a worker's share.
std::vector<Index> shares_worth_trying(const LoopFacts& loop);

/// The smallest chunk worth trying for sizes that fall, where a narrow one costs more an iteration (as
/// columns of a product do): a 64th of a worker's share, at least 1.
Index least_worth_trying(const LoopFacts& loop);

/// The prefix with each of the values behind it: "gss:9", "gss:14".
std::vector<std::string> specs_of(std::string_view prefix, const std::vector<Index>& values);

}  // namespace loadshare
