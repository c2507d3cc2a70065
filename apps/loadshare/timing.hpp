#pragma once

#include "apps/loadshare/message_sampling.hpp"
#include "models/messages/calibration.hpp"

namespace loadshare::tool {

/// No time is less: as fine as the clock tells and the file keeps.
inline constexpr double least_time_s = 1e-9;

/// One message on its sender's clock.
struct SentStamps {
  double lead_s = 0;  ///< posted after: from before it announced the message until the send began
  double send_s = 0;  ///< from there until the send returned
};

/// The same message on its receiver's clock.
struct ReceivedStamps {
  double stay_s = 0;  ///< posted after: from when the announcement was there until the receive began
  /// Until the message was there: posted before, from when the receiver told the sender to go; posted after,
  /// from when the receive began.
  double receive_s = 0;
};

/// What lies between two processes.
struct Distance {
  double round_trip_s = 0;      ///< an empty message there and one back, as the sender timed it
  double sender_clock_s = 0;    ///< a look at its clock
  double receiver_clock_s = 0;  ///< ditto
};

/// The times of one message of a visit as communication::MessageCosts has them. No two clocks are compared:
/// each difference is of one clock, and what lies between the two processes is half a round trip of the same
/// moments, which lasts from the beginning of a send to the end of its receive just as `go` and the
/// announcement do. Every span holds one look at its clock. Nothing takes less than a nanosecond.
calibration::MessageTiming timing_of(const Visit& visit, const SentStamps& sent,
                                     const ReceivedStamps& received, const Distance& distance);

/// Whether a message that was to be posted after was: the announcement may have kept its sender for longer
/// than the receiver stayed away. If not, it is of no kind that is measured.
bool is_as_asked(const Visit& visit, const SentStamps& sent, const ReceivedStamps& received,
                 const Distance& distance);

/// The cost of a look at the clock, the median of many.
double measure_clock_s();

}  // namespace loadshare::tool
