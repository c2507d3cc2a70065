#pragma once

#include <string>

#include "models/program/timing_graph/graph.hpp"

namespace loadshare::tool {

/// The graph in the form of read_graph(), which gives the same graph of it (with places in that text).
std::string graph_yaml(const timing_graph::Graph& graph);

}  // namespace loadshare::tool
