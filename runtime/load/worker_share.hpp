#pragma once

#include <optional>
#include <span>

#include "runtime/load/load_plan.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare {

/// The share of the processor that a worker really got while the load was on, from its chunks, in the order
/// in which it computed them (others' are passed over). `capacity`: what it has of a processor when nobody
/// disturbs it. A chunk that took w seconds, o of them under load, and c of processor time, got
/// c = f (w - o) + s o: so the share is s = (sum(c) - f sum(w - o)) / sum(o) over all chunks with some load,
/// which holds the mean over the shares of a trace. What it gets without the load, f, is told by the chunks
/// that had none (other programs may take something all the time), or it is the capacity, where they took
/// less than 50 ms together. Nothing where there was less than that under load.
///
/// Under a control group's limit a worker is held up between its chunks as well as inside: there, a chunk
/// counts until the next one begins, and the share is of f.
std::optional<double> worker_share(const LoadPlan& plan, double capacity, WorkerId worker,
                                   std::span<const ChunkRecord> chunks);

}  // namespace loadshare
