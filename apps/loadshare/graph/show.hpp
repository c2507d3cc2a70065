#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "models/program/timing_graph/expansion.hpp"

namespace loadshare::tool {

struct GraphShowRequest {
  std::string file;
  std::string settings;  ///< `n=5,p=8`
  std::string dot;       ///< files; empty: not asked for
  std::string svg;
  std::string yaml;
};

/// Prints what a graph consists of, and draws it.
ExitCode show_graph(const GraphShowRequest& request);

/// `n=5,p=8` of --set.
std::vector<timing_graph::Setting> parse_settings(const std::string& text);

}  // namespace loadshare::tool
