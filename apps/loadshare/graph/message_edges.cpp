#include "apps/loadshare/graph/message_edges.hpp"

#include "models/communication/linear_costs.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

constexpr std::size_t most_ops = 2'000'000;

}  // namespace

MessageEdges find_message_edges(const timing_graph::Graph& graph,
                                const std::vector<timing_graph::Setting>& settings) {
  MessageEdges found;
  try {
    timing_graph::ExpansionOptions options;
    options.most_ops = most_ops;
    const timing_graph::Program program = expand(graph, settings, options);
    found.ops = program.ops.size();
    // Which costs does not matter: who meets whom depends on them only where a receive takes from anybody.
    for (const auto& message : evaluate(program, communication::LinearCosts({})).messages) {
      found.edges.insert({program.ops[message.send].origin, program.ops[message.receive].origin});
      ++found.messages;
      found.bytes += message.bytes;
    }
  } catch (const UsageError& error) {
    found.trouble = error.what();
  }
  return found;
}

}  // namespace loadshare::tool
