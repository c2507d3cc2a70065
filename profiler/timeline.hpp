#pragma once

#include <cstdint>
#include <string>

#include "profiler/format.hpp"
#include "profiler/profile.hpp"

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
  std::int64_t stolen_in_last_ns = 0;  ///< of that, in the last piece
  std::int64_t blocked_ns = 0;         ///< outside MPI: sleeping inside is MPI's way of waiting
};

/// MPI waits by running, so who slept did so outside, as far as there is room. Who lost the processor is away
/// for longer than most calls take: that was in the last piece, as far as there is room, and else anywhere.
Lost losses_of(const Stretch& stretch, const Progress& progress);

/// From one rank's ticks to rank 0's clock. Instants and lengths are by one scale, in whole numbers, and
/// rounded down: then neither a part nor the sum of some parts is ever longer than the whole they are of,
/// whether that is a length or lies between two instants.
class ClockAxis final {
 public:
  ClockAxis(const Slot& slot, const SectionHeader& section);

  /// CLOCK_MONOTONIC of rank 0's kernel. Never less for a later tick.
  std::int64_t instant_ns(std::uint64_t ticks) const { return origin_ns_ + length_ns(ticks - first_ticks_); }
  /// Of ticks that went by; of fewer than none less than nothing.
  std::int64_t length_ns(std::uint64_t ticks) const;

 private:
  std::uint64_t first_ticks_;
  std::int64_t origin_ns_;  ///< rank 0's clock at the first tick
  std::int64_t scale_;      ///< 2^-48 nanoseconds of rank 0 that a tick takes
};

/// What a rank did behind its last way into MPI, or out of it, when it ended without MPI_Finalize.
struct Ending {
  std::string by;                         ///< as RankProfile::ended_by
  bool is_in_call = false;                ///< Slot::open
  std::uint64_t end_ticks{};              ///< as far as it is known
  std::int64_t tail_ns = 0;               ///< from that of the slot to there
  Lost lost;                              ///< of the tail
  bool tells_stolen = true;               ///< else the kernel told nothing of the tail
  std::int64_t other_threads_cpu_ns = 0;  ///< as RankProfile's
};

Ending ending_of(const Slot& slot, const ClockAxis& axis);

/// The last reading of both clocks.
const ClockPair& last_clock(const Slot& slot);

/// Whether it said from time to time that it lives.
bool gives_signs(const Slot& slot);

/// Who did not get to say when it ended is taken to have been in its open call as long as any rank is known
/// to have lived; who gives signs of life no longer than until the second one that did not come.
void extend_open_calls(Profile& profile);

}  // namespace loadshare::profile
