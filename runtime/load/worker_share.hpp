#pragma once

#include <optional>
#include <span>

#include "runtime/load/load_plan.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare {

/// The share of the processor that a worker really got while the load was on, from its chunks (others' are
/// passed over). `capacity`: what it has of a processor when nobody disturbs it. Of a chunk that took w
/// seconds, o of them under load, and c of processor time, w - o went by undisturbed: so the share is
/// (sum(c) / capacity - sum(w - o)) / sum(o), which holds the mean over all shares of a trace. Nothing where
/// the chunks were under load for less than 50 ms together.
std::optional<double> worker_share(const LoadPlan& plan, double capacity, WorkerId worker,
                                   std::span<const ChunkRecord> chunks);

}  // namespace loadshare
