#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/timing_graph/mailboxes.hpp"

namespace loadshare::timing_graph {

/// A message had to wait until another had left what both need: a way out, a way in, a processor.
struct Hold {
  double until_s = 0;
  std::uint32_t by = nothing;        ///< the other message
  std::uint32_t previous = nothing;  ///< and what the other had waited for last; nothing: for nothing
};

/// What one message at a time can use: first come, first served.
class Resource final {
 public:
  double free_s() const { return free_s_; }

  /// For `used_s` from `from_s` on, or from when it is free on; that time. `hold` is what the message has
  /// waited for last, and becomes this where it waits here.
  double take(double from_s, double used_s, std::uint32_t message, std::uint32_t& hold,
              std::vector<Hold>& holds) {
    const double begin_s = std::max(from_s, free_s_);
    if (free_s_ > from_s && user_ != nothing) {
      holds.push_back({free_s_, user_, users_hold_});
      hold = static_cast<std::uint32_t>(holds.size() - 1);
    }
    free_s_ = begin_s + used_s;
    user_ = message;
    users_hold_ = hold;
    return begin_s;
  }

 private:
  double free_s_ = 0;
  std::uint32_t user_ = nothing;
  std::uint32_t users_hold_ = nothing;
};

}  // namespace loadshare::timing_graph
