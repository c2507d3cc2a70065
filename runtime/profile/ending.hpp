#pragma once

#include <cstdint>
#include <string>

#include "runtime/profile/clock_axis.hpp"
#include "runtime/profile/format.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/profile/settlement.hpp"

namespace loadshare::profile {

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
