#pragma once

#include <cstdint>
#include <optional>

namespace loadshare {

/// Number or position of loop iterations; signed, so that differences are safe.
using Index = std::int64_t;

/// Identity of a worker, dense from 0. Under MPI it counts the ranks that compute.
enum class WorkerId : std::uint32_t {};

constexpr std::uint32_t to_number(WorkerId worker) {
  return static_cast<std::uint32_t>(worker);
}

/// The iterations [first, first + size): what one worker computes at a time (the paper's "task").
struct Chunk {
  Index first = 0;
  Index size = 0;

  constexpr Index end() const { return first + size; }
  friend constexpr bool operator==(const Chunk&, const Chunk&) = default;
};

/// What a scheduler may learn from a finished chunk.
struct ChunkTimes {
  WorkerId worker{};
  Chunk chunk = {};
  /// Seconds from the chunk's assignment (or, where it was queued behind others, from its worker's previous
  /// return) to its return, on the master's clock: the paper's response time.
  double response_s = 0;
  /// Seconds on the worker's clock, where they were measured: of computing alone, and of waiting within the
  /// chunk for the broadcast input.
  std::optional<double> compute_s = std::nullopt;
  std::optional<double> waiting_s = std::nullopt;
  /// Seconds between its end and its return, where it was computed together with later ones; not in the
  /// response.
  double held_s = 0;
};

}  // namespace loadshare
