#pragma once

#include <cstdint>
#include <optional>

namespace loadshare {

/// Number or position of loop iterations. Signed, so that differences are safe.
using Index = std::int64_t;

/// Number of a worker, consecutive from 0. Under MPI it counts the ranks that compute.
enum class WorkerId : std::uint32_t {};

constexpr std::uint32_t to_number(WorkerId worker) {
  return static_cast<std::uint32_t>(worker);
}

/// The iterations [first, first + size): the work that a worker receives at a time (the paper's "task").
struct Chunk {
  Index first = 0;
  Index size = 0;

  constexpr Index end() const { return first + size; }
  friend constexpr bool operator==(const Chunk&, const Chunk&) = default;
};

/// The times of a finished chunk, from which a scheduler may learn.
struct ChunkTimes {
  WorkerId worker{};
  Chunk chunk = {};
  /// Response time in seconds on the master's clock: from the chunk's assignment to its return (the paper's
  /// definition). If the chunk was queued, from the previous return of the same worker.
  double response_s = 0;
  /// Seconds on the worker's clock, if measured: computing (`compute_s`), and waiting for the broadcast input
  /// within the chunk (`waiting_s`).
  std::optional<double> compute_s = std::nullopt;
  std::optional<double> waiting_s = std::nullopt;
  /// Seconds between the chunk's end and its return, if it was computed together with later ones. Not part of
  /// the response time.
  double held_s = 0;
};

}  // namespace loadshare
