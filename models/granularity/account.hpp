#pragma once

#include <string_view>

#include "models/granularity/times.hpp"

namespace loadshare::granularity {

/// The share of the run time that a rank's four parts leave open; negative where they are more than it.
double account_gap(const RunTimes& run, const RankTimes& rank);

/// The gap of the rank where it is widest, with its sign; 0 without ranks.
double widest_account_gap(const RunTimes& run);

/// Throws UsageError, beginning with `place` ("runs.jsonl:3: "), where figures of this run would be wrong: no
/// ranks or a rank twice, a run without length, parts that are negative or no numbers, and an account that
/// leaves more than `account_tolerance` of the run time open on any rank.
void require_sound(const RunTimes& run, std::string_view place = {});

}  // namespace loadshare::granularity
