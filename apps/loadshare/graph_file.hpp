#pragma once

#include "experiments/yaml/document.hpp"
#include "models/program/timing_graph/graph.hpp"

namespace loadshare::tool {

/// A timing graph as a person writes it:
///
///     name: ring
///     parameters: {n: 1000, p: 4}
///     processes:
///       - ranks: all            # or 0, or 1..p-1
///         steps:
///           - loop: 10
///             as: i
///             steps:
///               - compute: 2e-9 * n
///               - send: {to: (rank + 1) % p, bytes: 8 * n, mode: standard}
///               - receive: {from: (rank + p - 1) % p}
///           - allreduce: 8
///
/// Throws UsageError as `file:line:column: ...`. Expressions are not looked into: that does expand().
timing_graph::Graph read_graph(const yaml::Value& file);

/// From a file.
timing_graph::Graph load_graph(const std::string& path);

}  // namespace loadshare::tool
