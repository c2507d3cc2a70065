#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/graph/costs.hpp"
#include "base/error.hpp"

namespace loadshare::tool {

struct GraphPredictRequest {
  std::vector<std::string> runs;      ///< `n=65536:run.profile`
  std::vector<std::string> settings;  ///< `n=33554432,p=8`; none: those of the runs
  CostsRequest costs;
  std::string yaml;  ///< a file for the graph; empty: not asked for
  std::string json;  ///< a file, - for stdout, empty: not asked for
};

/// Builds a program's timing graph from profiles of small runs, and says what it will take at other sizes and
/// numbers of ranks.
ExitCode predict_program(const GraphPredictRequest& request);

}  // namespace loadshare::tool
