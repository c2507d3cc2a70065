#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "models/communication/message_costs.hpp"
#include "models/timing_graph/evaluation.hpp"
#include "models/timing_graph/event_queue.hpp"
#include "models/timing_graph/mailboxes.hpp"
#include "models/timing_graph/placement.hpp"
#include "models/timing_graph/program.hpp"
#include "models/timing_graph/resource.hpp"
#include "models/timing_graph/transit.hpp"

namespace loadshare::timing_graph {

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
  void complete(std::int32_t process, std::uint32_t op, const Completion& completion);
  void end_op(ProcessState& process, const Completion& completion);

  // The ways of messages: simulation_messages.cpp.
  void match(std::uint32_t number, std::uint32_t receive_op);
  void start(std::uint32_t number, double time_s);
  void reach_host(std::uint32_t number, double time_s);
  void settle(std::uint32_t number, double now_s);
  void settle_waiting(std::uint32_t number);
  void settle_taken(std::uint32_t number, double now_s);
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
  EventQueue queue_;
  Mailboxes mailboxes_;
  std::vector<ProcessState> processes_;
  std::vector<Transit> transits_;
  std::vector<OpEnd> ends_;
  std::uint32_t running_ = nothing;  ///< the process that goes on now
  std::vector<Resource> ways_out_;
  std::vector<Resource> ways_in_;
  std::vector<Hold> holds_;
  std::vector<int> members_met_;  ///< of each of the program's calls
  std::set<std::uint32_t> unready_origins_;
};

}  // namespace loadshare::timing_graph
