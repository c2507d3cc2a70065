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

// Functions that several techniques share.

/// Returns dividend / divisor, rounded. dividend >= 0, divisor >= 1; no value overflows.
constexpr Index divided(Index dividend, Index divisor, Rounding rounding) {
  // Processors from before 2020 divide 32 bits several times as fast as 64, and most loops are short.
  if (((dividend | divisor) >> 32) == 0) {
    const auto n = static_cast<std::uint32_t>(dividend), d = static_cast<std::uint32_t>(divisor);
    return static_cast<Index>(n / d) + (rounding == Rounding::up && n % d != 0 ? 1 : 0);
  }
  return dividend / divisor + (rounding == Rounding::up && dividend % divisor != 0 ? 1 : 0);
}

/// Returns `size` >= 0, rounded to an Index. NaN and sizes that do not fit give the largest Index. An integer
/// with a small rounding error is not rounded away from that integer.
constexpr Index rounded(double size, Rounding rounding) {
  constexpr double error =
      1e-12;  // relative, of formulas with a few operations; far below any real remainder
  if (!(size < static_cast<double>(std::numeric_limits<Index>::max())))
    return std::numeric_limits<Index>::max();
  const double tolerated = error * size;
  return static_cast<Index>(size + (rounding == Rounding::up ? std::max(1 - tolerated, 0.0) : tolerated));
}

/// Returns `size`, but at least `min`, and at most `remaining`.
constexpr Index clipped(Index size, Index min, Index remaining) {
  return std::min(std::max(size, min), remaining);
}

/// Returns the number of workers to divide by: at least 1, whatever the facts say.
constexpr Index divisible_workers(const LoopFacts& loop) {
  return std::max<Index>(loop.workers, 1);
}

/// Returns half of a worker's share of the loop, rounded to nearest.
Index half_share(const LoopFacts& loop);

/// Counts chunks in groups of as many as there are workers.
class Groups {
 public:
  /// Whether the next chunk is the first of a group. The group then has `workers` >= 1 chunks.
  bool begin(Index workers) {
    const bool is_first = left_ == 0;
    left_ = (is_first ? workers : left_) - 1;
    return is_first;
  }

 private:
  Index left_ = 0;  // remaining chunks of this group
};

// Parameters that several techniques have, as shown by help.
ParameterInfo min_info();
/// Describes how `what` is rounded.
ParameterInfo round_info(std::string default_text, std::string_view what);
ParameterInfo mu_info();
ParameterInfo sigma_info();
ParameterInfo overhead_info();

// Times of a loop's iterations and chunks, in seconds: from the spec, otherwise as measured in the loop's
// last run. If neither is known, throws UsageError, which says what to give.

double mu_of(const SchedulerSpec& spec, const LoopFacts& loop);
double sigma_of(const SchedulerSpec& spec, const LoopFacts& loop);
/// Returns at least `least`.
double overhead_of(const SchedulerSpec& spec, const LoopFacts& loop, double least);

/// Returns seconds from which a rate can be computed, or 0 if `seconds` is not positive and finite. The
/// result is within 1 ns and 30 million years, so that rates, variances and their sums are finite.
constexpr double usable_s(double seconds) {
  constexpr double shortest_s = 1e-9, longest_s = 1e15;
  const bool is_usable = seconds > 0 && seconds <= std::numeric_limits<double>::max();
  return is_usable ? std::clamp(seconds, shortest_s, longest_s) : 0;
}

/// The part of a chunk's time that a technique counts: computing, if it was measured, or the whole response
/// time.
enum class Counted { computing, response };

/// Returns that time as usable_s() limits it.
constexpr double counted_s(const ChunkTimes& times, Counted counted) {
  return usable_s(counted == Counted::response ? times.response_s
                                               : times.compute_s.value_or(times.response_s));
}

/// Returns nothing, because `auto` and `predict` do not try this technique by default. Each candidate costs
/// time, and these need values that are unknown in advance, or hardly differ from other candidates.
std::vector<std::string> nothing_worth_trying(const LoopFacts& loop);

/// Returns fixed chunk sizes worth trying, the largest first: a worker's share of the loop in 4, 7, 11, 18,
/// ... chunks (steps of about 1.6, up to about 4,000), so that equal workers finish with their last chunk
/// together. With sizes above a quarter of a share, the last chunks alone would determine the makespan.
std::vector<Index> sizes_worth_trying(const LoopFacts& loop);

/// Returns first chunks worth trying for decreasing sizes: a half, a quarter and an eighth of a worker's
/// share.
std::vector<Index> shares_worth_trying(const LoopFacts& loop);

/// Returns the smallest chunk worth trying for decreasing sizes, if narrow chunks cost more per iteration (as
/// columns of a product do): a 64th of a worker's share, at least 1.
Index least_worth_trying(const LoopFacts& loop);

/// Returns the prefix followed by each of the values: "gss:9", "gss:14".
std::vector<std::string> specs_of(std::string_view prefix, const std::vector<Index>& values);

}  // namespace loadshare
