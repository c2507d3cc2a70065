#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/timing_graph/evaluation.hpp"
#include "models/timing_graph/expansion.hpp"

namespace loadshare::tool {

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

/// Goes through the graph at its parameters, where that does not take long.
MessageEdges find_message_edges(const timing_graph::Graph& graph,
                                const std::vector<timing_graph::Setting>& settings);

}  // namespace loadshare::tool
