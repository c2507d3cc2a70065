#pragma once

#include <array>
#include <string>
#include <vector>

namespace loadshare {

/// The number of phases in which the ranks of known_shares reach a call at different times.
inline constexpr int phases = 12;

/// The number of large messages after the phases, around the ring of the ranks, in both directions at the
/// same time.
inline constexpr int ring_messages = 80;

/// The number of large messages after these, from rank 0 to the last rank.
inline constexpr int pair_messages = 80;

/// A rank's record of its own time. All members are doubles, so that it can be gathered.
struct Log {
  double begin_s = 0;
  double end_s = 0;
  double computing_s = 0;
  double stolen_s = 0;
  double asleep_s = 0;
  double exchanging_s = 0;  ///< in the calls that move large messages
  double theft_s = 0;       ///< not while computing: it could have run, but other programs had the processor
  std::array<double, phases + ring_messages + pair_messages> came_s{};
};

/// Returns each rank's times as JSON. A rank waits until the ranks that its call needs have arrived, and
/// moves data in the rest of its exchanges.
std::string truth_text(const std::vector<Log>& logs);

}  // namespace loadshare
