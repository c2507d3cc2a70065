#pragma once

#include "base/types.hpp"

namespace loadshare {

/// Decides how large the next chunk is, and nothing else: no clock, no I/O, no random source of its own.
/// One small class a technique; made from its spec through a SchedulerTable.
class ChunkScheduler {
 public:
  virtual ~ChunkScheduler() = default;

  /// The size of the next chunk for `worker`, in [1, remaining]; `remaining` >= 1 iterations are not yet
  /// assigned.
  virtual Index next_size(WorkerId worker, Index remaining) = 0;

  /// Hears the timing of every chunk that was committed; adaptive techniques learn here.
  virtual void completed(const ChunkTiming&) {}
};

}  // namespace loadshare
