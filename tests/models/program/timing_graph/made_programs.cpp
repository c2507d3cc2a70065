#include "tests/models/program/timing_graph/made_programs.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"

namespace loadshare::timing_graph {

using communication::ReceivePosted;
using communication::SendMode;

namespace {

Place place(const std::string& file, int line) {
  return {std::make_shared<const std::string>(file), line, 1};
}

std::uint32_t requests_of(const std::vector<Op>& ops) {
  std::uint32_t count = 0;
  for (const Op& op : ops)
    if (op.request != no_request) count = std::max(count, op.request + 1);
  return count;
}

}  // namespace

bool WholeSeconds::waits_for_receive(SendMode mode, double bytes) const {
  return mode == SendMode::synchronous || (mode != SendMode::buffered && bytes >= 100);
}

double WholeSeconds::sender_s(SendMode mode, ReceivePosted posted, double bytes) const {
  if (posted == ReceivePosted::before) return 2;
  return waits_for_receive(mode, bytes) ? 4 : 3;
}

double WholeSeconds::receiver_s(SendMode mode, ReceivePosted posted, double bytes) const {
  if (posted == ReceivePosted::before) return 5;
  return waits_for_receive(mode, bytes) ? 7 : 1;
}

Op compute(double seconds) {
  return {.amount = seconds, .kind = OpKind::compute};
}

Op send(int to, double bytes, SendMode mode, int tag) {
  return {.amount = bytes, .peer = to, .tag = tag, .kind = OpKind::send, .mode = mode};
}

Op receive(int from, int tag) {
  return {.peer = from, .tag = tag, .kind = OpKind::receive};
}

Op begun(Op op, std::uint32_t request) {
  op.request = request;
  return op;
}

Op wait(std::uint32_t request) {
  return {.request = request, .kind = OpKind::wait};
}

Program program_of(std::initializer_list<std::vector<Op>> processes) {
  Program program;
  for (const std::vector<Op>& ops : processes) {
    const std::string file = std::to_string(program.requests.size());
    program.first_ops.push_back(program.ops.size());
    program.requests.push_back(requests_of(ops));
    for (Op op : ops) {
      const auto line = static_cast<int>(program.ops.size() - program.first_ops.back()) + 1;
      op.origin = static_cast<std::uint32_t>(program.origins.size());
      program.origins.push_back({file + "." + std::to_string(line), place(file + ".yaml", line)});
      program.ops.push_back(op);
    }
  }
  program.first_ops.push_back(program.ops.size());
  return program;
}

Graph graph_of(Steps steps) {
  return {"made",
          {{"n", constant(1000)}, {"p", constant(4)}},
          {{std::nullopt, std::move(steps), place("g.yaml", 1)}}};
}

Step step(Action action, int line) {
  return {"", place("g.yaml", line), std::move(action)};
}

Expression formula(const std::string& text) {
  return {text, place("g.yaml", 9)};
}

std::vector<double> finishes(const Evaluation& evaluation) {
  std::vector<double> all;
  for (const ProcessTimes& times : evaluation.processes) all.push_back(times.finish_s);
  return all;
}

std::string failure(const Graph& graph, const std::vector<Setting>& settings,
                    const ExpansionOptions& options) {
  try {
    expand(graph, settings, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace loadshare::timing_graph
