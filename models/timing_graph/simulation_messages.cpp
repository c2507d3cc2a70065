#include <algorithm>

#include "models/timing_graph/simulation.hpp"

namespace loadshare::timing_graph {

using communication::ReceivePosted;

void Simulation::match(std::uint32_t number, std::uint32_t receive_op) {
  Transit& transit = transits_[number];
  transit.message.receive = receive_op;
  transit.is_matched = true;
  const bool is_late = transit.posted == ReceivePosted::after;
  if (is_late && !transit.has_waited)
    settle(number, transit.posted_s);
  else
    start(number, is_late ? transit.posted_s : transit.sent_s);
}

void Simulation::start(std::uint32_t number, double time_s) {
  Transit& transit = transits_[number];
  const MatchedMessage& message = transit.message;
  transit.started_s = time_s;
  const double taken_s = port_s(message);
  if (taken_s == 0) {
    transit.is_through = true;
    settle(number, time_s);
    return;
  }
  Resource& way_out = ways_out_[placement_.host_of(message.source)];
  const double leaves_s = way_out.take(time_s, taken_s, number, transit.hold, holds_);
  queue_.push({leaves_s, EventKind::message_reaches_host, number});
}

void Simulation::reach_host(std::uint32_t number, double time_s) {
  Transit& transit = transits_[number];
  Resource& way_in = ways_in_[placement_.host_of(transit.message.destination)];
  const double taken_s = port_s(transit.message);
  const double enters_s = way_in.take(time_s, taken_s, number, transit.hold, holds_);
  transit.delay_s = enters_s - transit.started_s;
  transit.is_through = true;
  settle(number, time_s);
}

void Simulation::settle(std::uint32_t number, double now_s) {
  const Transit& transit = transits_[number];
  if (!transit.is_matched || !transit.is_through) return;
  if (transit.has_waited)
    settle_waiting(number);
  else
    settle_taken(number, now_s);
}

ProcessState& Simulation::receiver_of(const Transit& transit) {
  return processes_[static_cast<std::size_t>(transit.message.destination)];
}

void Simulation::settle_waiting(std::uint32_t number) {
  Transit& transit = transits_[number];
  const MatchedMessage& m = transit.message;
  const double sender_s = costs_of(m).sender_s(m.mode, transit.posted, m.bytes);
  const double receiver_s = costs_of(m).receiver_s(m.mode, transit.posted, m.bytes);
  if (port_s(m) == 0) {
    Resource& processor = receiver_of(transit).processor;
    transit.delay_s =
        processor.take(transit.started_s, receiver_s, number, transit.hold, holds_) - transit.started_s;
  }
  const double begin_s = transit.started_s + transit.delay_s;
  const Completion done{begin_s, transit.started_s, transit.started_by(), transit.hold};
  Completion sent = done, received = done;
  sent.time_s += sender_s;
  received.time_s += receiver_s;
  complete(m.source, m.send, sent);
  complete(m.destination, m.receive, received);
}

void Simulation::settle_taken(std::uint32_t number, double now_s) {
  const Transit& transit = transits_[number];
  const double there_s = come_s(transit);
  const bool is_late = transit.posted == ReceivePosted::after;
  // Nothing but its own non-blocking calls keeps a process from taking a message.
  if (receiver_of(transit).requests.empty())
    complete_taken(transit, is_late ? std::max(transit.posted_s + taking_s(transit), there_s) : there_s);
  else
    queue_.push({std::max(now_s, there_s - taking_s(transit)), EventKind::message_is_taken, number});
}

void Simulation::take(std::uint32_t number, double time_s) {
  Transit& transit = transits_[number];
  const double taking = taking_s(transit);
  const double begin_s = receiver_of(transit).processor.take(time_s, taking, number, transit.hold, holds_);
  complete_taken(transit, std::max(begin_s + taking, come_s(transit)));
}

void Simulation::complete_taken(const Transit& transit, double done_s) {
  const MatchedMessage& m = transit.message;
  const bool is_only_taken =
      transit.hold == nothing && transit.posted == ReceivePosted::after && done_s > come_s(transit);
  complete(m.destination, m.receive,
           is_only_taken ? Completion{done_s, transit.posted_s, m.receive}
                         : Completion{done_s, transit.sent_s, m.send, transit.hold});
}

/// When a receive that waits for it would have it.
double Simulation::come_s(const Transit& transit) const {
  const MatchedMessage& m = transit.message;
  return transit.sent_s + transit.delay_s + costs_of(m).receiver_s(m.mode, ReceivePosted::before, m.bytes);
}

/// What of a receive is the process's own doing, for a message that does not wait: what it costs to take one
/// that has come, but no more than all of a receive that waits for it.
double Simulation::taking_s(const Transit& transit) const {
  const MatchedMessage& m = transit.message;
  const double taking_s = costs_of(m).receiver_s(m.mode, ReceivePosted::after, m.bytes);
  if (transit.posted == ReceivePosted::after) return taking_s;
  return std::min(taking_s, costs_of(m).receiver_s(m.mode, ReceivePosted::before, m.bytes));
}

}  // namespace loadshare::timing_graph
