#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

namespace loadshare::timing_graph {

/// What happens next. At one and the same time receives come before sends, so that one posted at s counts as
/// posted before a send at s.
enum class EventKind : std::uint8_t {
  process_goes_on,
  message_reaches_host,
  message_is_taken,
  process_sends
};

struct Event {
  double time_s = 0;
  EventKind kind = EventKind::process_goes_on;
  std::uint32_t subject = 0;  ///< a process or a message

  bool operator>(const Event& other) const {
    return std::tie(time_s, kind, subject) > std::tie(other.time_s, other.kind, other.subject);
  }
};

using EventQueue = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

}  // namespace loadshare::timing_graph
