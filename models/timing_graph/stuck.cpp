#include "models/timing_graph/stuck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "models/timing_graph/problem.hpp"

namespace loadshare::timing_graph {
namespace {

/// That it runs nevertheless, as MPI had room, proves nothing of another day.
constexpr const char* standard_send_advice =
    "a standard send of that size waits by these costs, and MPI lets it: begin one with a request, or send "
    "and "
    "receive in one exchange";

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
    if (op.kind == OpKind::collective) return absent_member(op.peer);
    const std::int32_t peer = op.peer;
    if (peer == any_source) return std::nullopt;
    return static_cast<std::size_t>(peer);
  }

  /// Somebody who has not come to that collective call.
  std::size_t absent_member(std::int32_t call) const {
    const RankGroup& members = program_.calls[static_cast<std::size_t>(call)].members;
    const auto is_there = [&](std::size_t process) {
      const Op& op = program_.ops[simulation_.processes()[process].next_op];
      return is_blocked(process) && op.kind == OpKind::collective && op.peer == call;
    };
    auto process = static_cast<std::size_t>(members.first);
    while (is_there(process)) process += static_cast<std::size_t>(members.stride);
    return process;
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

}  // namespace

void require_finished(const Simulation& simulation) {
  if (is_finished(simulation)) return;
  const Stuck stuck(simulation);
  stuck.require_no_blocked();
  stuck.require_no_unmatched();
}

}  // namespace loadshare::timing_graph
