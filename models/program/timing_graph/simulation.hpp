#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "base/event_queue.hpp"
#include "models/messages/message_costs.hpp"
#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/mailboxes.hpp"
#include "models/program/timing_graph/program.hpp"

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
  double at_s = 0;
  EventKind kind = EventKind::process_goes_on;
  std::uint32_t subject = 0;  ///< a process or a message

  std::uint64_t rank() const { return std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | subject; }
  static Event of(double at_s, std::uint64_t rank) {
    return {at_s, static_cast<EventKind>(rank >> 32), static_cast<std::uint32_t>(rank)};
  }
};

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

/// One side of a message: when it is done, and since when that was fixed, by which op.
struct Completion {
  double time_s = 0;
  double since_s = 0;
  std::uint32_t cause = nothing;  ///< nothing: not known yet
  std::uint32_t hold = nothing;   ///< what the message waited for last on its way
};

/// A message on its way.
struct Transit {
  MatchedMessage message;
  double sent_s = 0;
  double posted_s = 0;
  double started_s = 0;  ///< its bytes begin to move
  double delay_s = 0;    ///< by others before it on the ways out and in and at the receiver's processor
  std::uint32_t hold = nothing;
  communication::ReceivePosted posted = communication::ReceivePosted::before;
  bool has_waited = false;  ///< the send returns only after the receive was posted
  bool is_matched = false;
  bool is_through = false;  ///< the delay is known

  /// The op from whose begin on the bytes move.
  std::uint32_t started_by() const {
    const bool by_receive = has_waited && posted == communication::ReceivePosted::after;
    return by_receive ? message.receive : message.send;
  }
};

/// When an op ended, and the op from whose begin on its end was fixed: itself, the other half of a message,
/// or the last process's part of a collective call.
struct OpEnd {
  double time_s = 0;
  std::uint32_t cause = nothing;
  std::uint32_t hold = nothing;  ///< what its message waited for last
};

/// A process where it stands.
struct ProcessState {
  std::uint32_t next_op = 0;
  std::uint32_t end = 0;
  double clock_s = 0;
  bool is_blocked = false;
  ProcessTimes times;
  std::vector<Completion> requests;
  Resource processor;  ///< copies one message at a time
};

/// A call whose members leave one by one, while some are in it. All by member, counted from the root.
struct OpenCall {
  struct Begin {
    double at_s = 0;
    std::uint32_t op = nothing;  ///< nothing: it has not come
  };
  std::vector<Begin> begins;
  std::vector<int> missing;  ///< how many of itself and those it waits for have not come
};

/// Runs a program in virtual time, always the process that is earliest: whoever meets at a mailbox or at a
/// host's port meets there in the order of time. (To reserve a port at the moment a step begins, for a later
/// time, would let a message wait for one that comes after it.)
///
/// A process has one processor, which copies its messages one after the other, also those of non-blocking
/// calls: the bytes of a send that does not wait go to a buffer in the call itself, be it MPI_Send or
/// MPI_Isend; those of a receive are taken out when they have come. Who copies a message that waits for its
/// receive is taken to be the receiver: in one memory (where port_s is 0) it reads the sender's pages, if the
/// kernel lets it; between hosts the ports are what counts. Computing overlaps with what was begun before it.
class Simulation final {
 public:
  Simulation(const Program& program, const Placement& placement);

  /// Until nobody goes on.
  void run();

  const Program& program() const { return program_; }
  const std::vector<ProcessState>& processes() const { return processes_; }
  const std::vector<Transit>& transits() const { return transits_; }
  const std::vector<OpEnd>& ends() const { return ends_; }
  const std::vector<Hold>& holds() const { return holds_; }
  /// Sends without a receive (as numbers of transits), and receives without a send (of ops).
  std::vector<std::uint32_t> unmatched_sends() const { return mailboxes_.messages_left(); }
  std::vector<std::uint32_t> unmatched_receives() const { return mailboxes_.receives_left(); }
  /// The steps whose ready sends began before their receives were posted.
  const std::set<std::uint32_t>& unready_origins() const { return unready_origins_; }
  std::size_t process_of(std::uint32_t op) const;

 private:
  void go_on(std::uint32_t process);
  Event next_event(std::uint32_t process) const;
  /// Whether the process went past the op.
  bool perform(std::uint32_t process, const Op& op);
  void compute(ProcessState& process, const Op& op);
  bool send(std::uint32_t process, const Op& op);
  void return_at_once(ProcessState& process, const Op& op, std::uint32_t number);
  bool awaits_processor(std::uint32_t process);
  bool receive(std::uint32_t process, const Op& op);
  bool wait(ProcessState& process, const Op& op);
  bool meet(std::uint32_t process, const Op& op);
  bool join(std::uint32_t process, std::size_t number);
  void leave(const CollectiveCall& call, const OpenCall& open, int place);
  void complete(std::int32_t process, std::uint32_t op, const Completion& completion);
  void end_op(ProcessState& process, const Completion& completion);

  // The ways of messages.
  void match(std::uint32_t number, std::uint32_t receive_op);
  void start(std::uint32_t number, double time_s);
  void reach_host(std::uint32_t number, double time_s);
  void resolve(std::uint32_t number, double now_s);
  void resolve_waiting(std::uint32_t number);
  void resolve_taken(std::uint32_t number, double now_s);
  void take(std::uint32_t number, double time_s);
  void complete_taken(const Transit& transit, double done_s);
  const communication::MessageCosts& costs_of(const MatchedMessage& message) const {
    return placement_.costs(message.source, message.destination);
  }
  double port_s(const MatchedMessage& message) const {
    return placement_.port_s(message.source, message.destination, message.bytes);
  }
  double come_s(const Transit& transit) const;
  double taking_s(const Transit& transit) const;
  ProcessState& receiver_of(const Transit& transit);

  const Program& program_;
  const Placement& placement_;
  EventQueue<Event> queue_;
  Mailboxes mailboxes_;
  std::vector<ProcessState> processes_;
  std::vector<Transit> transits_;
  std::vector<OpEnd> ends_;
  std::uint32_t running_ = nothing;  ///< the process that goes on now
  std::vector<Resource> ways_out_;
  std::vector<Resource> ways_in_;
  std::vector<Hold> holds_;
  std::vector<int> members_met_;      ///< of each of the program's calls
  std::vector<OpenCall> open_calls_;  ///< of each, empty where all leave together, or where nobody is in it
  std::set<std::uint32_t> unready_origins_;
};

}  // namespace loadshare::timing_graph
