#pragma once

#include <vector>

#include "runtime/farm/rank_report.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare::spmd {

/// A run record from the reports of its ranks, by rank, each with one account. The run lasts from the first
/// rank's begin to the last one's end, all on rank 0's clock; who begins later or ends earlier than others is
/// waiting for them. Left to the caller: what was computed, and with which libraries.
RunRecord build_record(const std::vector<RankReport>& reports);

}  // namespace loadshare::spmd
