#pragma once

#include <cstdint>

namespace loadshare::profile {

/// A stretch of one thread's time, from one reading of what the kernel tells to the next.
struct Stretch {
  std::int64_t outside_ns = 0;
  std::int64_t inside_ns = 0;
  /// Of that, the last piece between two calls, or within one; one of them is 0. Stretches end with a long
  /// piece.
  std::int64_t last_outside_ns = 0;
  std::int64_t last_inside_ns = 0;
};

/// What the kernel tells of a stretch.
struct Progress {
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;  ///< could have run, and others had the processor
};

/// Where the time went in which the thread did not run.
struct Lost {
  std::int64_t stolen_outside_ns = 0;
  std::int64_t stolen_inside_ns = 0;
  std::int64_t blocked_ns = 0;  ///< outside MPI: sleeping inside is MPI's way of waiting
};

/// MPI waits by running, so who slept did so outside, as far as there is room. Who lost the processor is away
/// for longer than most calls take: that was in the last piece, as far as there is room, and else anywhere.
Lost settle(const Stretch& stretch, const Progress& progress);

}  // namespace loadshare::profile
