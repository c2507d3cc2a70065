#include "models/program/timing_graph/simulation.hpp"

#include <cassert>

namespace loadshare::timing_graph {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

}  // namespace

Simulation::Simulation(const Program& program, const Placement& placement)
    : program_(program),
      placement_(placement),
      mailboxes_(program),
      processes_(program.process_count()),
      ends_(program.ops.size()),
      ways_out_(placement.host_count(program.process_count())),
      ways_in_(placement.host_count(program.process_count())),
      members_met_(program.calls.size()),
      open_calls_(program.calls.size()) {
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
  [[maybe_unused]] double now_s = 0;
  while (!queue_.is_empty()) {
    const Event event = queue_.pop();
    assert(event.at_s >= now_s);
    now_s = event.at_s;
    running_ = nothing;
    if (event.kind == EventKind::message_reaches_host)
      reach_host(event.subject, event.at_s);
    else if (event.kind == EventKind::message_is_taken)
      take(event.subject, event.at_s);
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
    if (!queue_.is_next(next)) return queue_.push(next);
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
    case OpKind::collective:
      return meet(process, op);
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
  const auto source = static_cast<std::int32_t>(process);
  const bool waits = placement_.costs(source, op.peer).waits_for_receive(op.mode, op.amount);
  if (!waits && awaits_processor(process)) return false;
  const std::uint32_t op_number = state.next_op;
  const auto number = static_cast<std::uint32_t>(transits_.size());
  const std::uint32_t receive_op = mailboxes_.take_receive(op.peer, source, op.tag);
  const bool is_posted = receive_op != nothing;
  Transit& transit = transits_.emplace_back();
  transit.message = {op.amount, op_number, nothing, source, op.peer, op.mode};
  transit.sent_s = state.clock_s;
  transit.has_waited = waits;
  transit.posted = is_posted ? ReceivePosted::before : ReceivePosted::after;
  state.is_blocked = waits && op.request == no_request;
  if (!waits)
    return_at_once(state, op, number);
  else if (!state.is_blocked)
    end_op(state, {state.clock_s, state.clock_s, op_number});
  if (is_posted) {
    match(number, receive_op);
    return !state.is_blocked;
  }
  if (op.mode == SendMode::ready) unready_origins_.insert(op.origin);
  mailboxes_.add_message(op.peer, {source, op.tag, number});
  if (!waits) start(number, transit.sent_s);
  return !state.is_blocked;
}

/// A take that goes on keeps a send from being copied; the process comes back when it is over.
bool Simulation::awaits_processor(std::uint32_t process) {
  ProcessState& state = processes_[process];
  const double free_s = state.processor.free_s();
  if (free_s <= state.clock_s) return false;
  state.times.communicating_s += free_s - state.clock_s;
  state.clock_s = free_s;
  queue_.push(next_event(process));
  return true;
}

void Simulation::return_at_once(ProcessState& process, const Op& op, std::uint32_t number) {
  const Transit& transit = transits_[number];
  const double copying_s = costs_of(transit.message).sender_s(op.mode, transit.posted, op.amount);
  std::uint32_t hold = nothing;
  process.processor.take(transit.sent_s, copying_s, number, hold, holds_);
  const Completion done{transit.sent_s + copying_s, transit.sent_s, transit.message.send};
  if (op.request != no_request) process.requests[op.request] = done;
  end_op(process, done);
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

/// The last one to come lets all go on.
bool Simulation::meet(std::uint32_t process, const Op& op) {
  const auto number = static_cast<std::size_t>(op.peer);
  const CollectiveCall& call = program_.calls[number];
  if (!call.by_member.empty()) return join(process, number);
  ProcessState& last = processes_[process];
  last.is_blocked = true;
  if (++members_met_[number] < call.members.size()) return false;
  const Completion done{last.clock_s + call.time.seconds, last.clock_s, last.next_op};
  for (int member = 0; member < call.members.size(); ++member) {
    const std::int32_t rank = call.members.rank_of(member);
    complete(rank, processes_[static_cast<std::size_t>(rank)].next_op, done);
  }
  return true;
}

/// Lets those go on who waited for nobody else; whether the process itself is one of them.
bool Simulation::join(std::uint32_t process, std::size_t number) {
  const CollectiveCall& call = program_.calls[number];
  OpenCall& open = open_calls_[number];
  const std::size_t members = call.by_member.size();
  if (open.begins.empty()) {
    open.begins.resize(members);
    for (const communication::MemberTime& member : call.by_member)
      open.missing.push_back(static_cast<int>(member.awaited.size()) + 1);
  }
  ProcessState& state = processes_[process];
  state.is_blocked = true;
  const int own = call.place_from_root(call.members.member_of(static_cast<std::int32_t>(process)));
  open.begins[static_cast<std::size_t>(own)] = {state.clock_s, state.next_op};
  for (std::size_t place = 0; place < members; ++place) {
    const bool is_awaited =
        static_cast<int>(place) == own || std::ranges::binary_search(call.by_member[place].awaited, own);
    if (is_awaited && --open.missing[place] == 0) leave(call, open, static_cast<int>(place));
  }
  if (++members_met_[number] == call.members.size()) open = {};
  return !state.is_blocked;
}

void Simulation::leave(const CollectiveCall& call, const OpenCall& open, int place) {
  const communication::MemberTime& member = call.by_member[static_cast<std::size_t>(place)];
  const OpenCall::Begin& own = open.begins[static_cast<std::size_t>(place)];
  OpenCall::Begin last{-std::numeric_limits<double>::infinity(), own.op};
  for (const int awaited : member.awaited)
    if (const OpenCall::Begin& other = open.begins[static_cast<std::size_t>(awaited)]; other.at_s > last.at_s)
      last = other;
  const double end_s = member.leaves_s(own.at_s, last.at_s);
  const bool is_held_up = end_s > own.at_s + member.after_own.seconds;
  const OpenCall::Begin& since = is_held_up ? last : own;
  complete(call.members.rank_of(call.member_at(place)), own.op, {end_s, since.at_s, since.op});
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
  ends_[process.next_op] =
      is_held_up ? OpEnd{end_s, completion.cause, completion.hold} : OpEnd{end_s, process.next_op};
  process.clock_s = end_s;
  ++process.next_op;
}

void Simulation::match(std::uint32_t number, std::uint32_t receive_op) {
  Transit& transit = transits_[number];
  transit.message.receive = receive_op;
  transit.is_matched = true;
  const bool is_late = transit.posted == ReceivePosted::after;
  if (is_late && !transit.has_waited)
    resolve(number, transit.posted_s);
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
    resolve(number, time_s);
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
  resolve(number, time_s);
}

void Simulation::resolve(std::uint32_t number, double now_s) {
  const Transit& transit = transits_[number];
  if (!transit.is_matched || !transit.is_through) return;
  if (transit.has_waited)
    resolve_waiting(number);
  else
    resolve_taken(number, now_s);
}

ProcessState& Simulation::receiver_of(const Transit& transit) {
  return processes_[static_cast<std::size_t>(transit.message.destination)];
}

void Simulation::resolve_waiting(std::uint32_t number) {
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

void Simulation::resolve_taken(std::uint32_t number, double now_s) {
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
