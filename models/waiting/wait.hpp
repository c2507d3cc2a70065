#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace loadshare::waiting {

/// What a call waited for, in the words of Scalasca's patterns.
enum class WaitState : std::uint8_t {
  none,
  late_sender,    ///< a receive, a wait on one, or a probe: the message was not sent yet
  late_receiver,  ///< a send that blocks, or a wait on one: the receive was not posted yet
  late_member,    ///< wait at barrier or N x N, also at a fence and in a scan: a member had not come yet
  late_root,      ///< late broadcast: the root had not come yet, nor had it to take what is sent to it
  early_root,     ///< early reduce, and the root of a broadcast that does not go on without the members
  late_epoch,     ///< late post, early wait: the other side of a window's epoch had not come yet
  polling,        ///< tests in vain, where the profile does not tell for what
  asleep,         ///< outside MPI: no call's
  absent,         ///< ditto, before the rank began or after it ended
};

inline constexpr std::size_t wait_states = 10;

/// "late sender", "wait at N x N", ...
std::string_view name_of(WaitState state);

/// Until when a call could do nothing but wait, for its partner had not begun. Before the call's own begin it
/// means nothing, and beyond its end it counts up to there.
struct Wait {
  WaitState state = WaitState::none;
  std::int64_t until_ns = 0;
  std::int64_t moving_ns = 0;  ///< of that, in which another message of the same call moved

  explicit operator bool() const { return state != WaitState::none; }
};

/// The one that lasts longer. None lasts shortest.
inline Wait longer(const Wait& one, const Wait& other) {
  if (!one || !other) return one ? one : other;
  Wait longest = one.until_ns >= other.until_ns ? one : other;
  longest.moving_ns = std::max(one.moving_ns, other.moving_ns);
  return longest;
}

inline Wait shorter(const Wait& one, const Wait& other) {
  if (!one || !other) return {};
  return one.until_ns <= other.until_ns ? one : other;
}

}  // namespace loadshare::waiting
