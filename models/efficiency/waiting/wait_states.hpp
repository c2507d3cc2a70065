#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/efficiency/waiting/matching.hpp"

namespace loadshare::waiting {

/// What a call waited for, in the words of Scalasca's patterns.
enum class WaitState : std::uint8_t {
  none,
  late_sender,    ///< a receive, a wait on one, or a probe: the message was not sent yet
  late_receiver,  ///< a send that blocks, or a wait on one: the receive was not posted yet
  late_member,    ///< wait at barrier or N x N, also at a fence and in a scan: a member had not come yet
  late_root,      ///< late broadcast: the root had not come yet, nor had it to take what is sent to it
  early_root,     ///< early reduce, and the root of a broadcast that does not go on without the members
  late_neighbor,  ///< a neighbourhood collective: one whose data come had not come yet
  late_epoch,     ///< late post, early wait: the other side of a window's epoch had not come yet
  lock_taken,     ///< lock contention: another rank had the window's lock
  late_target,    ///< wait for progress: one that had begun, or a one-sided call's target, was outside MPI
  polling,        ///< tests in vain, where the profile does not tell for what
  asleep,         ///< outside MPI: no call's
  absent,         ///< ditto, before the rank began or after it ended
  unknown,        ///< whether it waited or moved data the profile does not tell: it counts as moving
};

inline constexpr std::size_t wait_states = 14;

/// Whether it counts as idle.
inline bool is_waiting(WaitState state) {
  return state != WaitState::none && state != WaitState::unknown;
}

/// "late sender", "wait at N x N", ...
std::string_view name_of(WaitState state);

/// Until when a call could do nothing but wait, for its partner had not begun, and what kept it then. Before
/// the call's own begin it means nothing, and beyond its end it counts up to there.
struct Wait {
  WaitState state = WaitState::none;
  std::int64_t until_ns = 0;
  std::int64_t moving_ns = 0;  ///< of that, in which another message of the same call moved
  Progress behind{};           ///< that instant

  explicit operator bool() const { return state != WaitState::none || behind.waited_ns > 0; }
};

/// The one that lasts longer. None lasts shortest. Not of what lies behind.
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

/// The messages of one call, as far as they are known.
using CallMessages = std::vector<const Message*>;

/// Those that a call sends, receives or completes.
CallMessages messages_of(const Matching& matching, std::uint32_t rank, const Call& call);

/// Whether a completion of several requests goes on when the first is over.
bool goes_on_with_the_first(const profile::Event& completion);

/// When some of these messages are known to have moved, by the calls of the others who sent or received them:
/// one that blocks for this message alone, starts it (which takes its time where the other side is there) or
/// waits for it alone, moves it from when both sides have come until it returns.
/// `rank` is the one whose call it is; messages that the other side too handles among others say nothing.
std::vector<Span> movements_of(const Matching& matching, std::uint32_t rank, const CallMessages& messages);

/// How much of [begin, end] they did.
std::int64_t moved_ns(const Matching& matching, std::uint32_t rank, const CallMessages& messages,
                      std::int64_t begin_ns, std::int64_t end_ns);

/// Whether a call that waits for a send waits for receives or collectives too, which may be what holds it.
enum class Company : std::uint8_t { sends_alone, others_too };

/// The same of what a call completes.
Company company_of(const Matching& matching, std::uint32_t rank, const Call& completion);

/// Whether this send may have waited for its receive, and the end of the call that waits for it tells whether
/// it did.
bool may_wait(const Matching& matching, EventId send, Company company);

/// Whether this send does not end before its receive is posted.
bool is_surely_held(const Matching& matching, EventId send);

/// Whether this send ends without its receive, whenever that is posted.
bool is_surely_eager(const Matching& matching, EventId send);

/// Late sender: who receives waits until the send has begun. `receive` is the call that posted the receive,
/// or the probe.
Wait late_sender(const Matching& matching, EventId receive);

/// Late receiver: a send that is not buffered may wait until its receive is posted, and did where `in`, the
/// send itself or the wait on it, ended only after that. A short standard send (EagerLimits) does not wait,
/// and ends later for another reason. In company of others that end tells nothing of one that may be short:
/// it is not claimed then.
Wait late_receiver(const Matching& matching, EventId send, const profile::Event& in,
                   Company company = Company::sends_alone);

/// What a call waited for. Nothing is claimed where the partner's call is not known; but tests in vain wait
/// all their time where it is not known for what.
Wait wait_of(const Matching& matching, std::uint32_t rank, const Call& call);

/// How much of a call's time inside MPI was waiting, in [0, its time]; what is left of it moved data, or was
/// stolen. Tests in vain are inside for a part of their time, which is taken to lie evenly in it.
std::int64_t idle_ns(const Wait& wait, const profile::Event& event);

/// The same by what for: while a partner had not begun, and behind that.
struct StateTime {
  WaitState state = WaitState::none;
  std::int64_t length_ns = 0;
};
std::array<StateTime, 2> idle_by_state(const Wait& wait, const profile::Event& event);

/// How much of what is left is not told to be moving or waiting, by what the wait says.
std::int64_t unsure_ns(const Wait& wait, const profile::Event& event);

/// Of a call that was idle for so long: what others had of the processor in the rest. A rank that has lost
/// it while it waited has lost nothing; beyond that moving takes no longer than it takes.
inline std::int64_t stolen_beside_ns(std::int64_t idle_ns, const profile::Event& event) {
  return std::clamp<std::int64_t>(event.inside_ns - idle_ns, 0, event.stolen_ns);
}

/// How long one rank waited inside MPI, by what for.
struct RankWaits {
  std::array<std::int64_t, wait_states> by_state_ns{};  ///< index: WaitState
  std::int64_t stolen_ns = 0;                           ///< beside the waiting, of calls of which it is told
  std::int64_t told_ns = 0;                             ///< all that is told to be stolen within calls

  std::int64_t total_ns() const;
};

/// The share of a rank's time inside MPI that nobody stole, of what is not told of single calls.
double granted_beside(profile::Portion own, const RankWaits& waits);

/// In calls that began within these spans.
RankWaits waits_of(const Matching& matching, std::uint32_t rank,
                   std::span<const Span> within = std::span(&all_of_time, 1));

}  // namespace loadshare::waiting
