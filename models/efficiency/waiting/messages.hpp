#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/efficiency/waiting/calls.hpp"
#include "profiler/profile.hpp"

namespace loadshare::waiting {

/// Which call of a rank made which request: sends, receives and collectives that were started.
class Requests {
 public:
  explicit Requests(const std::vector<profile::Event>& events);

  /// The index of the event that started it; nothing where the profile does not tell.
  std::optional<std::uint32_t> started_at(std::uint32_t request) const;

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> starts_;  ///< {request, event}, by request
};

/// What messages must have in common not to overtake each other. Ranks are those of MPI_COMM_WORLD.
struct Channel {
  std::uint32_t communicator = 0;
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int32_t tag = 0;

  bool operator==(const Channel&) const = default;
};

/// The messages under way in each channel, first sent first (MPI's non-overtaking rule).
class Channels {
 public:
  /// Messages are numbered as they come, from 0.
  void push(const Channel& channel);

  /// The message that the next receive of this channel gets.
  std::optional<std::uint32_t> front(const Channel& channel) const;

  std::optional<std::uint32_t> pop(const Channel& channel);

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  struct Hash {
    std::size_t operator()(const Channel& channel) const;
  };

  struct Ends {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };

  std::unordered_map<Channel, Ends, Hash> ends_;
  std::vector<std::uint32_t> next_;  ///< by message: the one behind it in its channel
};

/// A receive, or a probe that found a message, with the envelope that the message really had.
struct Receive {
  enum class Takes : std::uint8_t { message, nothing };  ///< a probe leaves the message where it is

  std::uint32_t posted = EventId::none;  ///< index of the call among its rank's events; none: never
  std::uint32_t probed = EventId::none;  ///< ditto, of the probe that found the message; none: no probe did
  std::uint32_t completed = EventId::none;  ///< ditto; none: never, as far as the profile tells
  std::uint32_t communicator = 0;
  std::int32_t source = -1;
  std::int32_t tag = -1;
  Takes takes = Takes::message;
  bool was_cancelled = false;  ///< or MPI was asked to, at least
};

/// The receives and probes of one rank, in the order in which they take their messages: that in which they
/// were posted, but a matched receive has its place at the MPI_Mprobe or MPI_Improbe that took its message
/// out of the channel. Those that can have no message (from MPI_PROC_NULL) and probes in vain are left out.
std::vector<Receive> receives_of(const profile::RankProfile& rank, const Requests& requests);

class Channels;
struct Channel;

/// A message from its send to its receive.
struct Message {
  EventId sent;       ///< the call that sent it, or began to
  EventId released;   ///< the call after which its sender had the memory back; that of `sent` where it blocks
  EventId posted;     ///< the call that posted its receive; none: never, as far as the profile tells
  EventId completed;  ///< the call in which its receiver got it
};

/// The point-to-point messages of a run. Receives find their sends by MPI's rule that messages with the same
/// communicator, source, destination and tag do not overtake each other: first posted, first sent. Wildcards
/// count by what they received. A receive that was started and freed takes its message too. Linear in the
/// events. The profile must outlive it.
class Messages {
 public:
  explicit Messages(const profile::Profile& profile);

  const std::vector<Message>& all() const { return messages_; }

  /// The message that this call sent or began to send; nothing where it sent none.
  const Message* sent_by(EventId call) const { return find(sent_by_, call); }

  /// The message whose receive this call posted, or that this probe found; nothing where its send is not
  /// known.
  const Message* taken_by(EventId call) const { return find(taken_by_, call); }

  /// The call that made this request of that rank; none where the profile does not tell.
  EventId started(std::uint32_t rank, std::uint32_t request) const;

  /// When the first of the messages was sent that nobody received, as far as the profile tells, and that this
  /// receive could take; -1 for its source or tag is any. Nothing where there is none.
  std::optional<std::int64_t> first_left_ns(const Channel& wanted) const;

  /// When the first of the receives was posted that are never seen ending, take messages of any source or
  /// tag, and could take this one. Nothing where there is none.
  std::optional<std::int64_t> first_taker_ns(const Channel& sent) const;

  /// Sends that nobody received, as far as the profile tells.
  std::uint64_t sends_without_receive() const;

  /// Completed receives whose send is not in the profile.
  std::uint64_t receives_without_send() const { return receives_without_send_; }

  /// Matches on one host in which the message was there before it was sent: the profile lacks calls.
  std::uint64_t contradictions() const;

 private:
  using ByEvent = std::vector<std::vector<std::uint32_t>>;  ///< index of the message, by rank and event

  const Message* find(const ByEvent& table, EventId call) const;
  void collect_sends(std::uint32_t rank, Channels& channels);
  void collect_releases(std::uint32_t rank);
  void match(std::uint32_t rank, Channels& channels);
  void collect_left();
  void take(std::uint32_t rank, const Receive& receive, std::uint32_t message);

  /// A receive that takes messages of any source or tag, of which it is not seen which one it took.
  struct Taker {
    EventId posted;
    std::int32_t source;
    std::int32_t tag;
  };

  const profile::Profile& profile_;
  std::vector<Requests> requests_;  ///< by rank
  std::vector<Message> messages_;
  ByEvent sent_by_;
  ByEvent taken_by_;
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> left_;  ///< messages, by the rank they are for
  std::unordered_map<std::int32_t, std::vector<Taker>> takers_;        ///< by rank
  std::uint64_t receives_without_send_ = 0;
};

}  // namespace loadshare::waiting
