#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/expansion.hpp"
#include "models/program/timing_graph/graph.hpp"

namespace loadshare::tool {

/// A step in one line: `send 8 * n bytes to (rank + 1) % p, synchronous`.
std::string step_text(const timing_graph::Step& step);

/// `all ranks`, `rank 0`, `ranks 1 to p-1`.
std::string ranks_text(const timing_graph::Process& process);

/// Messages that go from a step to a step, both as numbers of Program::origins.
struct MessageEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  auto operator<=>(const MessageEdge&) const = default;
};

/// What is known of a graph's messages at one n and p.
struct MessageEdges {
  std::set<MessageEdge> edges;
  std::size_t ops = 0;  ///< 0: it was not gone through
  std::size_t messages = 0;
  double bytes = 0;
  std::string trouble;  ///< why the edges are not known
};

/// Goes through the graph at its parameters, where that does not take long. Throws UsageError where it makes
/// no sense, as expand() does; messages that do not match are its `trouble`, for whom a picture helps.
MessageEdges find_message_edges(const timing_graph::Graph& graph,
                                const std::vector<timing_graph::Setting>& settings);

/// The folded graph for Graphviz: a column for each kind of process, loops and branches as frames around
/// their steps, and the messages as arrows between sends and receives.
std::string graph_dot(const timing_graph::Graph& graph, const MessageEdges& messages);

/// Throws UsageError, naming the Debian package, where Graphviz's `dot` is not there.
void require_dot();

/// What `dot` draws of a graph; throws Error (run_failed) with its words where it fails.
std::string svg_of_dot(const std::string& dot);

}  // namespace loadshare::tool
