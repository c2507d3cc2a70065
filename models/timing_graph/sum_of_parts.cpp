#include <algorithm>

#include "models/timing_graph/evaluation.hpp"

namespace loadshare::timing_graph {
namespace {

using communication::ReceivePosted;

double computing_s(std::span<const Op> ops) {
  double sum_s = 0;
  for (const Op& op : ops)
    if (op.kind == OpKind::compute) sum_s += op.amount;
  return sum_s;
}

double in_calls_s(const Program& program, std::size_t process) {
  double sum_s = 0;
  for (const Op& op : program.ops_of(process))
    if (op.kind == OpKind::collective) sum_s += program.calls[static_cast<std::size_t>(op.peer)].time.seconds;
  return sum_s;
}

}  // namespace

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
