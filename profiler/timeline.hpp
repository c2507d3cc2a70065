#pragma once

#include <cstdint>
#include <string>

#include "profiler/format.hpp"
#include "profiler/profile.hpp"

namespace loadshare::profile {

/// An interval of one thread's time, between two readings of the kernel's accounting.
struct Stretch {
  std::int64_t outside_ns = 0;
  std::int64_t inside_ns = 0;
  /// The last piece: the time between two calls, or within one; the other is 0. A long piece ends the
  /// stretch.
  std::int64_t last_outside_ns = 0;
  std::int64_t last_inside_ns = 0;
};

/// The kernel's accounting of a stretch.
struct Progress {
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;  ///< could have run, but other programs had the processor
};

/// The time of a stretch in which the thread did not run, by cause.
struct Lost {
  std::int64_t stolen_outside_ns = 0;
  std::int64_t stolen_inside_ns = 0;
  std::int64_t stolen_in_last_ns = 0;  ///< the part of stolen_inside_ns in the last piece
  std::int64_t blocked_ns = 0;         ///< outside MPI only: inside, sleeping is how MPI waits
};

/// Distributes the lost time of a stretch. MPI polls while it waits, so a thread that slept did so outside
/// MPI, as far as the time outside allows. A thread loses the processor for longer than most calls take.
/// Stolen time is therefore assigned to the last piece as far as it fits, and the rest to all of the stretch.
Lost losses_of(const Stretch& stretch, const Progress& progress);

/// Converts one rank's ticks to rank 0's clock. Instants and lengths use one integer scale and are rounded
/// down. So neither a part nor a sum of parts exceeds the whole, whether that is a length or the distance of
/// two instants.
class ClockAxis final {
 public:
  ClockAxis(const Slot& slot, const SectionHeader& section);

  /// Returns the instant by CLOCK_MONOTONIC of rank 0's kernel. It never decreases with `ticks`.
  std::int64_t instant_ns(std::uint64_t ticks) const { return origin_ns_ + length_ns(ticks - first_ticks_); }
  /// Returns the length of a number of ticks; negative for a negative number.
  std::int64_t length_ns(std::uint64_t ticks) const;

 private:
  std::uint64_t first_ticks_;
  std::int64_t origin_ns_;  ///< rank 0's clock at the first tick
  std::int64_t scale_;      ///< duration of a tick, in 2^-48 nanoseconds of rank 0
};

/// The end of a rank without MPI_Finalize: its time since it last entered or left MPI.
struct Ending {
  std::string by;                         ///< as RankProfile::ended_by
  bool is_in_call = false;                ///< the call is Slot::open
  std::uint64_t end_ticks{};              ///< the latest instant that is known
  std::int64_t tail_ns = 0;               ///< from the slot's end_ticks to end_ticks
  Lost lost;                              ///< within the tail
  bool is_stolen_known = true;            ///< false: the kernel did not report the tail
  std::int64_t other_threads_cpu_ns = 0;  ///< as in RankProfile
};

Ending ending_of(const Slot& slot, const ClockAxis& axis);

/// Returns the last reading of both clocks.
const ClockPair& last_clock(const Slot& slot);

/// Returns whether the rank wrote heartbeats.
bool has_heartbeat(const Slot& slot);

/// Extends the open calls of ranks whose end is unknown, to the latest time at which any rank is known to
/// have lived. With heartbeats a call is extended by at most two periods.
void extend_open_calls(Profile& profile);

}  // namespace loadshare::profile
