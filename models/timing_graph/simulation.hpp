#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "models/communication/message_costs.hpp"
#include "models/timing_graph/evaluation.hpp"
#include "models/timing_graph/event_queue.hpp"
#include "models/timing_graph/mailboxes.hpp"
#include "models/timing_graph/program.hpp"

namespace loadshare::timing_graph {

/// When an op ended, and the op from whose begin on its end was fixed: itself, or the other half of a
/// message.
struct OpEnd {
  double time_s = 0;
  std::uint32_t cause = nothing;
};

/// One side of a message: when it is done, and since when that was fixed, by which op.
struct Completion {
  double time_s = 0;
  double since_s = 0;
  std::uint32_t cause = nothing;  ///< nothing: not known yet
};

/// A message on its way.
struct Transit {
  MatchedMessage message;
  double sent_s = 0;
  double posted_s = 0;
  double started_s = 0;  ///< its bytes begin to move
  double delay_s = 0;  ///< by others before it on its way out of the source's host and into the destination's
  communication::ReceivePosted posted = communication::ReceivePosted::before;
  bool has_waited = false;  ///< the send returns only after the receive was posted
  bool is_matched = false;
  bool is_through = false;  ///< the delay is known
};

/// A process where it stands.
struct ProcessState {
  std::uint32_t next_op = 0;
  std::uint32_t end = 0;
  double clock_s = 0;
  bool is_blocked = false;
  ProcessTimes times;
  std::vector<Completion> requests;
};

/// Runs a program in virtual time, always the process that is earliest: whoever meets at a mailbox or at a
/// host's port meets there in the order of time. (To reserve a port at the moment a step begins, for a later
/// time, would let a message wait for one that comes after it.)
class Simulation final {
 public:
  Simulation(const Program& program, const communication::MessageCosts& costs);

  /// Until nobody goes on.
  void run();

  const Program& program() const { return program_; }
  const std::vector<ProcessState>& processes() const { return processes_; }
  const std::vector<Transit>& transits() const { return transits_; }
  const std::vector<OpEnd>& ends() const { return ends_; }
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
  bool receive(std::uint32_t process, const Op& op);
  bool wait(ProcessState& process, const Op& op);

  void match(std::uint32_t number, std::uint32_t receive_op);
  void start(std::uint32_t number, double time_s);
  void reach_host(std::uint32_t number, double time_s);
  void settle(Transit& transit);
  void settle_before(const Transit& transit);
  void settle_late(const Transit& transit);
  void settle_waiting(const Transit& transit);
  void complete(std::int32_t process, std::uint32_t op, const Completion& completion);
  void end_op(ProcessState& process, const Completion& completion);

  const Program& program_;
  const communication::MessageCosts& costs_;
  EventQueue queue_;
  Mailboxes mailboxes_;
  std::vector<ProcessState> processes_;
  std::vector<Transit> transits_;
  std::vector<OpEnd> ends_;
  std::uint32_t running_ = nothing;  ///< the process that goes on now
  std::vector<double> way_out_free_s_;
  std::vector<double> way_in_free_s_;
  std::set<std::uint32_t> unready_origins_;
};

}  // namespace loadshare::timing_graph
