#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "runtime/records/records.hpp"
#include "runtime/records/worker_name.hpp"

namespace loadshare {

/// A worker of a loop that goes on.
struct WorkerStatus {
  WorkerName name;
  /// What became of it last; nothing: it was there from the start.
  std::optional<MemberEvent::What> event = std::nullopt;
  Index iterations = 0;     ///< that counted
  double per_s = 0;         ///< of these, since it came first; 0 where it is not there any more
  std::vector<Chunk> held;  ///< chunks on their way to it, or computed by it; oldest first

  bool is_there() const { return event != MemberEvent::What::left && event != MemberEvent::What::lost; }
};

/// What a worker computes.
struct ChunkInWork {
  WorkerId worker{};
  Chunk chunk;
  double since_s = 0;  ///< when it was given, or its worker returned the previous chunk; since the start
  Index done = 0;      ///< iterations that its worker reported as done; 0 if the body reports none
  Index queued = 0;    ///< iterations queued after it at its worker
};

/// The progress of a loop.
struct LoopProgress {
  double now_s = 0;     ///< since the start
  Index done = 0;       ///< committed iterations, and those that workers reported within their chunks
  Index committed = 0;  ///< iterations whose results were taken
  Index iterations = 0;
  std::vector<ChunkInWork> in_work;

  Index iterations_in_work() const {
    Index iterations = 0;
    for (const ChunkInWork& one : in_work) iterations += one.chunk.size;
    return iterations;
  }
  /// Returns the iterations that are committed or that a worker holds.
  Index given() const {
    Index given = committed;
    for (const ChunkInWork& one : in_work) given += one.chunk.size + one.queued;
    return given;
  }
};

/// A loop that goes on, as its master sees it.
struct LoopStatus {
  std::string iteration_name;
  double now_s = 0;  ///< since the start
  Index done = 0, iterations = 0;
  Index recovered = 0;  ///< besides: an earlier run had them
  Index given_again = 0;
  std::vector<WorkerStatus> workers;
};

}  // namespace loadshare
