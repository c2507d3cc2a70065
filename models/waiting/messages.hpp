#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/waiting/calls.hpp"
#include "models/waiting/receives.hpp"

namespace loadshare::waiting {

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

  /// Matches in which the message was there before it was sent, by more than clocks are wrong: the profile
  /// lacks calls.
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
