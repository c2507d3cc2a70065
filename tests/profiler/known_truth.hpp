#pragma once

#include <array>
#include <string>
#include <vector>

namespace loadshare {

/// In which the ranks of known_shares come to some call at times that differ.
inline constexpr int phases = 12;

/// Behind them: large messages around the ring of the ranks, to and from both neighbours at once,
inline constexpr int ring_messages = 80;

/// and then from rank 0 to the last one alone.
inline constexpr int pair_messages = 80;

/// What a rank knows of its own time; all doubles, so that it can be gathered.
struct Log {
  double begin_s = 0;
  double end_s = 0;
  double computing_s = 0;
  double stolen_s = 0;
  double asleep_s = 0;
  double exchanging_s = 0;  ///< in the calls that move large messages
  double theft_s = 0;       ///< outside of computing: when it could have run, and others had the processor
  std::array<double, phases + ring_messages + pair_messages> came_s{};
};

/// Where each rank's time went, as JSON. A rank waits until those came whose call its own needs, and moves
/// data in what is left of its exchanges.
std::string truth_text(const std::vector<Log>& logs);

}  // namespace loadshare
