#pragma once

#include <string>

#include "models/timing_graph/graph.hpp"

namespace loadshare::tool {

/// A step in one line: `send 8 * n bytes to (rank + 1) % p, synchronous`.
std::string step_text(const timing_graph::Step& step);

/// `all ranks`, `rank 0`, `ranks 1 to p-1`.
std::string ranks_text(const timing_graph::Process& process);

}  // namespace loadshare::tool
