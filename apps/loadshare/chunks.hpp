#pragma once

#include <functional>
#include <string>

#include "apps/loadshare/output.hpp"
#include "schedulers/table.hpp"

namespace loadshare::tool {

/// `loadshare chunks`: the sequence of chunk sizes that a scheduler hands out.
struct ChunksRequest {
  std::string spec;
  LoopShape shape;
  OutputForm form = OutputForm::text;
};

/// Cuts the whole loop, the workers asking in turn and all computing at the same rate, and calls `visit` with
/// each size in order. Returns the number of chunks. Throws Error (run_failed) when the scheduler breaks its
/// contract, which would otherwise never end.
Index cut_loop(ChunkScheduler& scheduler, const LoopShape& shape,
               const std::function<void(Index size)>& visit);

/// Prints the sequence, one size a line or as JSON, while it is made: its length does not matter.
void print_chunks(const ChunksRequest& request, const SchedulerTable& table);

}  // namespace loadshare::tool
