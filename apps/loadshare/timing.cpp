#include "apps/loadshare/timing.hpp"

#include <algorithm>
#include <vector>

#include "base/statistics.hpp"
#include "experiments/sweep/plan.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare::tool {
namespace {

using calibration::MessageTiming;
using communication::SendMode;

double positive(double seconds) {
  return std::max(least_time_s, seconds);
}

/// From a look at the clock at one end until one at the other end, an empty message between them: the round
/// trip has two messages and one look at the sender's clock in it, this span half a look at each.
double one_way_s(const Distance& distance) {
  return (distance.round_trip_s + distance.receiver_clock_s) / 2;
}

/// Posted after: from when the send began.
double until_posted_s(const SentStamps& sent, const ReceivedStamps& received, const Distance& distance) {
  return one_way_s(distance) + received.stay_s - sent.lead_s;
}

MessageTiming timing_before(const SentStamps& sent, const ReceivedStamps& received,
                            const Distance& distance) {
  return {positive(sent.send_s - distance.sender_clock_s),
          positive(received.receive_s - one_way_s(distance) - distance.receiver_clock_s), false};
}

/// Copying a large message into the buffer may take longer than the receiver stays away; that is no waiting.
MessageTiming timing_after(SendMode mode, const SentStamps& sent, const ReceivedStamps& received,
                           const Distance& distance) {
  const double posted_s = until_posted_s(sent, received, distance);
  const bool has_waited = mode != SendMode::buffered && sent.send_s > posted_s;
  return {positive(sent.send_s - distance.sender_clock_s - (has_waited ? posted_s : 0)),
          positive(received.receive_s - distance.receiver_clock_s), has_waited};
}

}  // namespace

MessageTiming timing_of(const Visit& visit, const SentStamps& sent, const ReceivedStamps& received,
                        const Distance& distance) {
  return visit.posted == communication::ReceivePosted::before
             ? timing_before(sent, received, distance)
             : timing_after(visit.mode, sent, received, distance);
}

bool is_as_asked(const Visit& visit, const SentStamps& sent, const ReceivedStamps& received,
                 const Distance& distance) {
  return visit.posted == communication::ReceivePosted::before || until_posted_s(sent, received, distance) > 0;
}

double measure_clock_s() {
  constexpr int looks = 2001;
  std::vector<double> costs_s;
  for (int i = 0; i < looks; ++i) {
    const double before_s = monotonic_s();
    costs_s.push_back(monotonic_s() - before_s);
  }
  return median_of(costs_s);
}

}  // namespace loadshare::tool
