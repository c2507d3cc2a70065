#pragma once

#include <functional>
#include <string>

#include "schedulers/table.hpp"

namespace loadshare::tool {

/// Runs of equal sizes, "3 x 40"; one size a line; JSON.
enum class ChunksForm { runs, sizes, json };

/// `loadshare chunks`: the sequence of chunk sizes that a scheduler hands out.
struct ChunksRequest {
  std::string spec;
  LoopFacts loop;
  ChunksForm form = ChunksForm::sizes;
};

/// Cuts the whole loop, the workers asking in turn and all computing at the same rate, and calls `visit` with
/// each size in order. Returns the number of chunks. Throws Error (run_failed) when the scheduler breaks its
/// contract, which would otherwise never end.
Index cut_loop(ChunkScheduler& scheduler, const LoopFacts& loop,
               const std::function<void(Index size)>& visit);

/// Equal sizes one behind the other, as lines "3 x 40"; memory does not follow their number.
class ChunkRuns final {
 public:
  /// The line of the run that this size ends, or nothing.
  std::string add(Index size);
  /// The line of the last run.
  std::string end();

 private:
  Index size_ = 0;
  Index length_ = 0;
};

/// Prints the sequence while it is made: its length does not matter.
void print_chunks(const ChunksRequest& request, const SchedulerTable& table);

}  // namespace loadshare::tool
