#pragma once

#include <string>

#include "apps/loadshare/graph/message_edges.hpp"
#include "models/timing_graph/graph.hpp"

namespace loadshare::tool {

/// The folded graph for Graphviz: a column for each kind of process, loops and branches as frames around
/// their steps, and the messages as arrows between sends and receives.
std::string graph_dot(const timing_graph::Graph& graph, const MessageEdges& messages);

}  // namespace loadshare::tool
