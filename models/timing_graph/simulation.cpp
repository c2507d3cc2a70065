#include "models/timing_graph/simulation.hpp"

#include <algorithm>

namespace loadshare::timing_graph {

using communication::ReceivePosted;
using communication::SendMode;

Simulation::Simulation(const Program& program, const communication::MessageCosts& costs)
    : program_(program),
      costs_(costs),
      mailboxes_(program),
      processes_(program.process_count()),
      ends_(program.ops.size()),
      way_out_free_s_(program.process_count()),
      way_in_free_s_(program.process_count()) {
  for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
    ProcessState& process = processes_[rank];
    process.next_op = static_cast<std::uint32_t>(program.first_ops[rank]);
    process.end = static_cast<std::uint32_t>(program.first_ops[rank + 1]);
    process.requests.resize(program.requests[rank]);
  }
}

std::size_t Simulation::process_of(std::uint32_t op) const {
  const auto behind = std::ranges::upper_bound(program_.first_ops, std::size_t{op});
  return static_cast<std::size_t>(behind - program_.first_ops.begin()) - 1;
}

void Simulation::run() {
  for (std::uint32_t process = 0; process < processes_.size(); ++process) queue_.push(next_event(process));
  while (!queue_.empty()) {
    const Event event = queue_.top();
    queue_.pop();
    running_ = nothing;
    if (event.kind == EventKind::message_reaches_host)
      reach_host(event.subject, event.time_s);
    else
      go_on(event.subject);
  }
}

Event Simulation::next_event(std::uint32_t process) const {
  const ProcessState& state = processes_[process];
  const bool sends = state.next_op < state.end && program_.ops[state.next_op].kind == OpKind::send;
  return {state.clock_s, sends ? EventKind::process_sends : EventKind::process_goes_on, process};
}

void Simulation::go_on(std::uint32_t process) {
  ProcessState& state = processes_[process];
  running_ = process;
  while (state.next_op < state.end) {
    if (!perform(process, program_.ops[state.next_op])) return;
    const Event next = next_event(process);
    if (!queue_.empty() && next > queue_.top()) {
      queue_.push(next);
      return;
    }
  }
}

bool Simulation::perform(std::uint32_t process, const Op& op) {
  switch (op.kind) {
    case OpKind::compute:
      compute(processes_[process], op);
      return true;
    case OpKind::send:
      return send(process, op);
    case OpKind::receive:
      return receive(process, op);
    case OpKind::wait:
      return wait(processes_[process], op);
  }
  return false;
}

void Simulation::compute(ProcessState& process, const Op& op) {
  process.times.computing_s += op.amount;
  process.clock_s += op.amount;
  ends_[process.next_op] = {process.clock_s, process.next_op};
  ++process.next_op;
}

bool Simulation::send(std::uint32_t process, const Op& op) {
  ProcessState& state = processes_[process];
  const std::uint32_t op_number = state.next_op;
  const auto source = static_cast<std::int32_t>(process);
  const auto number = static_cast<std::uint32_t>(transits_.size());
  Transit& transit = transits_.emplace_back();
  transit.message = {op.amount, op_number, nothing, source, op.peer, op.mode};
  transit.sent_s = state.clock_s;
  transit.has_waited = costs_.waits_for_receive(op.mode, op.amount);
  const bool is_blocking = op.request == no_request;
  state.is_blocked = is_blocking;
  if (!is_blocking) end_op(state, {state.clock_s, state.clock_s, op_number});
  const std::uint32_t receive_op = mailboxes_.take_receive(op.peer, source, op.tag);
  if (receive_op != nothing) {
    match(number, receive_op);
    return !state.is_blocked;
  }
  transit.posted = ReceivePosted::after;
  if (op.mode == SendMode::ready) unready_origins_.insert(op.origin);
  mailboxes_.add_message(op.peer, {source, op.tag, number});
  if (!transit.has_waited) {
    const double returned_s = transit.sent_s + costs_.sender_s(op.mode, ReceivePosted::after, op.amount);
    complete(source, op_number, {returned_s, transit.sent_s, op_number});
    start(number, transit.sent_s);
  }
  return !state.is_blocked;
}

bool Simulation::receive(std::uint32_t process, const Op& op) {
  ProcessState& state = processes_[process];
  const std::uint32_t op_number = state.next_op;
  const auto destination = static_cast<std::int32_t>(process);
  const double posted_s = state.clock_s;
  state.is_blocked = op.request == no_request;
  if (!state.is_blocked) end_op(state, {posted_s, posted_s, op_number});
  const std::uint32_t number = mailboxes_.take_message(destination, op.peer, op.tag);
  if (number == nothing) {
    mailboxes_.add_receive(destination, {op.peer, op.tag, op_number});
  } else {
    transits_[number].posted_s = posted_s;
    match(number, op_number);
  }
  return !state.is_blocked;
}

bool Simulation::wait(ProcessState& process, const Op& op) {
  const Completion& done = process.requests[op.request];
  process.is_blocked = done.cause == nothing;
  if (!process.is_blocked) end_op(process, done);
  return !process.is_blocked;
}

void Simulation::match(std::uint32_t number, std::uint32_t receive_op) {
  Transit& transit = transits_[number];
  transit.message.receive = receive_op;
  transit.is_matched = true;
  const bool is_late = transit.posted == ReceivePosted::after;
  if (is_late && !transit.has_waited)
    settle(transit);
  else
    start(number, is_late ? transit.posted_s : transit.sent_s);
}

void Simulation::start(std::uint32_t number, double time_s) {
  Transit& transit = transits_[number];
  const MatchedMessage& message = transit.message;
  transit.started_s = time_s;
  const double port_s = message.source == message.destination ? 0 : costs_.port_s(message.bytes);
  if (port_s == 0) {
    transit.is_through = true;
    settle(transit);
    return;
  }
  double& free_s = way_out_free_s_[static_cast<std::size_t>(message.source)];
  const double leaves_s = std::max(time_s, free_s);
  free_s = leaves_s + port_s;
  queue_.push({leaves_s, EventKind::message_reaches_host, number});
}

void Simulation::reach_host(std::uint32_t number, double time_s) {
  Transit& transit = transits_[number];
  double& free_s = way_in_free_s_[static_cast<std::size_t>(transit.message.destination)];
  const double enters_s = std::max(time_s, free_s);
  free_s = enters_s + costs_.port_s(transit.message.bytes);
  transit.delay_s = enters_s - transit.started_s;
  transit.is_through = true;
  settle(transit);
}

void Simulation::settle(Transit& transit) {
  if (!transit.is_matched || !transit.is_through) return;
  if (transit.posted == ReceivePosted::before)
    settle_before(transit);
  else if (transit.has_waited)
    settle_waiting(transit);
  else
    settle_late(transit);
}

void Simulation::settle_before(const Transit& transit) {
  const MatchedMessage& m = transit.message;
  const double sender_s = costs_.sender_s(m.mode, ReceivePosted::before, m.bytes);
  const double receiver_s = costs_.receiver_s(m.mode, ReceivePosted::before, m.bytes);
  // What a send leaves behind in a buffer is not its own delay.
  const double held_s = transit.has_waited ? transit.delay_s : 0;
  complete(m.source, m.send, {transit.sent_s + held_s + sender_s, transit.sent_s, m.send});
  complete(m.destination, m.receive, {transit.sent_s + transit.delay_s + receiver_s, transit.sent_s, m.send});
}

void Simulation::settle_late(const Transit& transit) {
  const MatchedMessage& m = transit.message;
  const double taken_s = transit.posted_s + costs_.receiver_s(m.mode, ReceivePosted::after, m.bytes);
  const double come_s =
      transit.sent_s + transit.delay_s + costs_.receiver_s(m.mode, ReceivePosted::before, m.bytes);
  if (taken_s >= come_s)
    complete(m.destination, m.receive, {taken_s, transit.posted_s, m.receive});
  else
    complete(m.destination, m.receive, {come_s, transit.sent_s, m.send});
}

void Simulation::settle_waiting(const Transit& transit) {
  const MatchedMessage& m = transit.message;
  const double begin_s = transit.posted_s + transit.delay_s;
  const double sender_s = costs_.sender_s(m.mode, ReceivePosted::after, m.bytes);
  const double receiver_s = costs_.receiver_s(m.mode, ReceivePosted::after, m.bytes);
  complete(m.source, m.send, {begin_s + sender_s, transit.posted_s, m.receive});
  complete(m.destination, m.receive, {begin_s + receiver_s, transit.posted_s, m.receive});
}

void Simulation::complete(std::int32_t process, std::uint32_t op, const Completion& completion) {
  ProcessState& state = processes_[static_cast<std::size_t>(process)];
  const std::uint32_t request = program_.ops[op].request;
  if (request != no_request) {
    state.requests[request] = completion;
    const bool is_awaited = state.is_blocked && program_.ops[state.next_op].kind == OpKind::wait &&
                            program_.ops[state.next_op].request == request;
    if (!is_awaited) return;
  }
  end_op(state, completion);
  state.is_blocked = false;
  const auto rank = static_cast<std::uint32_t>(process);
  if (rank != running_) queue_.push(next_event(rank));
}

void Simulation::end_op(ProcessState& process, const Completion& completion) {
  const double begin_s = process.clock_s;
  const double end_s = std::max(begin_s, completion.time_s);
  const double met_s = std::clamp(completion.since_s, begin_s, end_s);
  process.times.idle_s += met_s - begin_s;
  process.times.communicating_s += end_s - met_s;
  const bool is_held_up = completion.time_s > begin_s;
  ends_[process.next_op] = {end_s, is_held_up ? completion.cause : process.next_op};
  process.clock_s = end_s;
  ++process.next_op;
}

}  // namespace loadshare::timing_graph
