#include "models/program/timing_graph/evaluation.hpp"

#include <fmt/format.h>

#include <optional>

#include "models/program/timing_graph/expression.hpp"
#include "models/program/timing_graph/simulation.hpp"

namespace loadshare::timing_graph {
namespace {

using communication::ReceivePosted;

/// Walks a finished simulation backwards.
class Walk final {
 public:
  explicit Walk(const Simulation& simulation) : simulation_(simulation), program_(simulation.program()) {}

  std::vector<PathPart> path() {
    process_ = last_process();
    op_ = program_.first_ops[process_ + 1];
    while (op_ > program_.first_ops[process_]) {
      const OpEnd& end = simulation_.ends()[op_ - 1];
      const double held_until_s = end.hold == nothing ? 0 : simulation_.holds()[end.hold].until_s;
      const std::size_t process = process_, ended = op_ - 1;
      go_to(end.hold == nothing ? end.cause : simulation_.transits()[first_holder(end.hold)].started_by());
      add(process, ended, end.hold == nothing ? begin_s() : held_until_s, end.time_s);
      add_holders(end.hold);
    }
    std::ranges::reverse(parts_);
    return std::move(parts_);
  }

 private:
  std::size_t last_process() const {
    const auto& all = simulation_.processes();
    return static_cast<std::size_t>(std::ranges::max_element(all, {}, &ProcessState::clock_s) - all.begin());
  }

  /// To the begin of `op`.
  void go_to(std::size_t op) {
    process_ = simulation_.process_of(static_cast<std::uint32_t>(op));
    op_ = op;
  }

  double begin_s() const {
    return op_ == program_.first_ops[process_] ? 0 : simulation_.ends()[op_ - 1].time_s;
  }

  /// The message that had to wait for no other.
  std::uint32_t first_holder(std::uint32_t hold) const {
    const std::vector<Hold>& holds = simulation_.holds();
    while (holds[hold].previous != nothing) hold = holds[hold].previous;
    return holds[hold].by;
  }

  /// The messages that were before, each until it made way for the next; the first from where the walk is.
  void add_holders(std::uint32_t number) {
    while (number != nothing) {
      const Hold& hold = simulation_.holds()[number];
      const MatchedMessage& by = simulation_.transits()[hold.by].message;
      const bool is_first = hold.previous == nothing;
      add(static_cast<std::size_t>(by.source), by.send,
          is_first ? begin_s() : simulation_.holds()[hold.previous].until_s, hold.until_s);
      number = hold.previous;
    }
  }

  void add(std::size_t process, std::size_t op, double begin_s, double end_s) {
    if (end_s <= begin_s) return;
    const PathPart part{static_cast<std::int32_t>(process), program_.ops[op].origin, begin_s, end_s};
    const bool goes_on =
        !parts_.empty() && parts_.back().process == part.process && parts_.back().origin == part.origin;
    if (goes_on)
      parts_.back().begin_s = begin_s;
    else
      parts_.push_back(part);
  }

  const Simulation& simulation_;
  const Program& program_;
  std::size_t process_ = 0;  ///< where the walk is: before op_
  std::size_t op_ = 0;
  std::vector<PathPart> parts_;
};

/// From the last op to end, back to time 0: every op is preceded by what fixed its begin, be that the op
/// before it in its process, the other half of its message or, where its message had to wait for others on
/// its way, those. Parts of one step that touch are one part.
std::vector<PathPart> critical_path(const Simulation& simulation) {
  if (simulation.processes().empty()) return {};
  return Walk(simulation).path();
}

/// For a standard send that waits forever by these costs: MPI may have buffered it, but need not the next
/// time.
constexpr const char* standard_send_advice =
    "a standard send of that size waits with these costs, as MPI allows: begin one with a request, or send "
    "and receive in one exchange";

std::string partner(std::int32_t peer) {
  return peer == any_source ? "any process" : fmt::format("process {}", peer);
}

/// Why a graph's processes do not finish: who waits for whom, in what.
class Stuck final {
 public:
  explicit Stuck(const Simulation& simulation)
      : simulation_(simulation), program_(simulation.program()), op_of_request_(request_ops()) {}

  void require_no_blocked() const {
    for (std::size_t process = 0; process < program_.process_count(); ++process)
      if (is_blocked(process)) explain(process);
  }

  void require_no_unmatched() const {
    for (const std::uint32_t number : simulation_.unmatched_sends())
      throw unmatched(simulation_.transits()[number].message.send);
    for (const std::uint32_t op : simulation_.unmatched_receives()) throw unmatched(op);
  }

 private:
  bool is_blocked(std::size_t process) const { return simulation_.processes()[process].is_blocked; }

  std::vector<std::vector<std::uint32_t>> request_ops() const {
    std::vector<std::vector<std::uint32_t>> by_process(simulation_.program().process_count());
    for (std::size_t process = 0; process < by_process.size(); ++process)
      by_process[process] = begun_by(process);
    return by_process;
  }

  std::vector<std::uint32_t> begun_by(std::size_t process) const {
    const Program& program = simulation_.program();
    std::vector<std::uint32_t> ops(program.requests[process]);
    for (std::size_t op = program.first_ops[process]; op < program.first_ops[process + 1]; ++op)
      if (program.ops[op].request != no_request && program.ops[op].kind != OpKind::wait)
        ops[program.ops[op].request] = static_cast<std::uint32_t>(op);
    return ops;
  }

  /// The send or receive that a process is held up by.
  std::uint32_t message_op(std::size_t process) const {
    const std::uint32_t op = simulation_.processes()[process].next_op;
    if (program_.ops[op].kind != OpKind::wait) return op;
    return op_of_request_[process][program_.ops[op].request];
  }

  const Origin& origin_of(std::uint32_t op) const { return program_.origins[program_.ops[op].origin]; }

  std::string doing(std::uint32_t op) const {
    const Op& what = program_.ops[op];
    if (what.kind == OpKind::collective)
      return fmt::format("process {} waits for the others in '{}'", simulation_.process_of(op),
                         origin_of(op).name);
    const bool sends = what.kind == OpKind::send;
    return fmt::format("process {} {} {} in '{}'", simulation_.process_of(op),
                       sends ? "sends to" : "receives from", partner(what.peer), origin_of(op).name);
  }

  /// Whom a process waits for; nothing where that is anybody.
  std::optional<std::size_t> awaited_by(std::size_t process) const {
    const Op& op = program_.ops[message_op(process)];
    if (op.kind == OpKind::collective) return absent_member(op.peer, process);
    const std::int32_t peer = op.peer;
    if (peer == any_source) return std::nullopt;
    return static_cast<std::size_t>(peer);
  }

  /// Somebody who has not come to that collective call, of those for whom `waiting` waits there.
  std::size_t absent_member(std::int32_t number, std::size_t waiting) const {
    const CollectiveCall& call = program_.calls[static_cast<std::size_t>(number)];
    for (const std::int32_t rank : awaited_in(call, static_cast<std::int32_t>(waiting)))
      if (!has_come(number, static_cast<std::size_t>(rank))) return static_cast<std::size_t>(rank);
    return waiting;
  }

  bool has_come(std::int32_t number, std::size_t process) const {
    const std::size_t next = simulation_.processes()[process].next_op;
    const auto behind = std::min(program_.first_ops[process + 1], next + (is_blocked(process) ? 1 : 0));
    for (std::size_t op = program_.first_ops[process]; op < behind; ++op)
      if (program_.ops[op].kind == OpKind::collective && program_.ops[op].peer == number) return true;
    return false;
  }

  static std::vector<std::int32_t> awaited_in(const CollectiveCall& call, std::int32_t waiting) {
    std::vector<std::int32_t> ranks;
    if (call.by_member.empty()) {
      for (int member = 0; member < call.members.size(); ++member)
        ranks.push_back(call.members.rank_of(member));
      return ranks;
    }
    const int own = call.place_from_root(call.members.member_of(waiting));
    for (const int place : call.by_member[static_cast<std::size_t>(own)].awaited)
      ranks.push_back(call.members.rank_of(call.member_at(place)));
    return ranks;
  }

  [[noreturn]] void explain(std::size_t process) const {
    std::vector<std::size_t> chain;
    std::optional<std::size_t> at = process;
    while (at && is_blocked(*at) && std::ranges::find(chain, *at) == chain.end()) {
      chain.push_back(*at);
      at = awaited_by(*at);
    }
    if (!at || !is_blocked(*at)) throw unmatched(message_op(chain.back()));
    chain.erase(chain.begin(), std::ranges::find(chain, *at));
    throw circle(chain);
  }

  UsageError circle(const std::vector<std::size_t>& chain) const {
    std::vector<std::string> waits;
    for (const std::size_t process : chain) {
      const std::uint32_t op = message_op(process);
      waits.push_back(doing(op) + behind(origin_of(op).place));
    }
    return problem_at(
        origin_of(message_op(chain.front())).place,
        chain.size() == 1 ? "a process waits for itself" : "processes wait for one another in a circle",
        fmt::format("{}", fmt::join(waits, "; ")), has_standard_send(chain) ? standard_send_advice : "");
  }

  bool has_standard_send(const std::vector<std::size_t>& chain) const {
    return std::ranges::any_of(chain, [this](std::size_t process) {
      const Op& op = program_.ops[message_op(process)];
      return op.kind == OpKind::send && op.mode == communication::SendMode::standard;
    });
  }

  UsageError unmatched(std::uint32_t op) const {
    const bool sends = program_.ops[op].kind == OpKind::send;
    const std::string tag = program_.ops[op].tag >= 0 ? fmt::format(", tag {}", program_.ops[op].tag) : "";
    return problem_at(origin_of(op).place,
                      fmt::format("a {} has no {}", sends ? "send" : "receive", sends ? "receive" : "send"),
                      doing(op) + tag);
  }

  const Simulation& simulation_;
  const Program& program_;
  std::vector<std::vector<std::uint32_t>> op_of_request_;
};

bool is_finished(const Simulation& simulation) {
  return std::ranges::none_of(simulation.processes(), &ProcessState::is_blocked) &&
         simulation.unmatched_sends().empty() && simulation.unmatched_receives().empty();
}

/// Throws UsageError where the simulation ended with processes that wait for one another, or with a send or
/// a receive without its other half; their steps and places are named.
void require_finished(const Simulation& simulation) {
  if (is_finished(simulation)) return;
  const Stuck stuck(simulation);
  stuck.require_no_blocked();
  stuck.require_no_unmatched();
}

std::vector<std::string> notes_on(const Simulation& simulation) {
  std::vector<std::string> notes;
  for (const std::uint32_t number : simulation.unready_origins()) {
    const Origin& origin = simulation.program().origins[number];
    const std::string place = text_of(origin.place);
    notes.push_back(
        fmt::format("{}a ready send begins before its receive is posted, which MPI forbids ('{}'); it is "
                    "treated as a standard send",
                    place.empty() ? place : place + ": ", origin.name));
  }
  return notes;
}

double computing_s(std::span<const Op> ops) {
  double sum_s = 0;
  for (const Op& op : ops)
    if (op.kind == OpKind::compute) sum_s += op.amount;
  return sum_s;
}

/// Of a member that comes last.
double in_call_s(const CollectiveCall& call, std::size_t process) {
  if (call.by_member.empty()) return call.time.seconds;
  const int place = call.place_from_root(call.members.member_of(static_cast<std::int32_t>(process)));
  return call.by_member[static_cast<std::size_t>(place)].after_own.seconds;
}

double in_calls_s(const Program& program, std::size_t process) {
  double sum_s = 0;
  for (const Op& op : program.ops_of(process))
    if (op.kind == OpKind::collective)
      sum_s += in_call_s(program.calls[static_cast<std::size_t>(op.peer)], process);
  return sum_s;
}

}  // namespace

Evaluation evaluate(const Program& program, const communication::MessageCosts& costs) {
  return evaluate(program, Placement{&costs});
}

Evaluation evaluate(const Program& program, const Placement& placement) {
  Simulation simulation(program, placement);
  simulation.run();
  require_finished(simulation);
  Evaluation result;
  for (const ProcessState& process : simulation.processes()) {
    result.processes.push_back(process.times);
    result.processes.back().finish_s = process.clock_s;
    result.makespan_s = std::max(result.makespan_s, process.clock_s);
  }
  result.messages.reserve(simulation.transits().size());
  for (const Transit& transit : simulation.transits()) result.messages.push_back(transit.message);
  result.critical_path = critical_path(simulation);
  result.notes = notes_on(simulation);
  return result;
}

SumOfParts sum_of_parts(const Program& program, const std::vector<MatchedMessage>& messages,
                        const communication::MessageCosts& costs) {
  return sum_of_parts(program, messages, Placement{&costs});
}

SumOfParts sum_of_parts(const Program& program, const std::vector<MatchedMessage>& messages,
                        const Placement& placement) {
  SumOfParts sum;
  for (std::size_t process = 0; process < program.process_count(); ++process)
    sum.processes.push_back({computing_s(program.ops_of(process)), in_calls_s(program, process)});
  for (const MatchedMessage& m : messages) {
    const communication::MessageCosts& costs = placement.costs(m.source, m.destination);
    sum.processes[static_cast<std::size_t>(m.source)].communicating_s +=
        costs.sender_s(m.mode, ReceivePosted::before, m.bytes);
    sum.processes[static_cast<std::size_t>(m.destination)].communicating_s +=
        costs.receiver_s(m.mode, ReceivePosted::before, m.bytes);
  }
  for (ProcessTimes& times : sum.processes) {
    times.finish_s = times.computing_s + times.communicating_s;
    sum.t_exec_s = std::max(sum.t_exec_s, times.finish_s);
  }
  return sum;
}

}  // namespace loadshare::timing_graph
