#pragma once

#include <string>

#include "apps/loadshare/graph/message_costs.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {

struct GraphEvaluateRequest {
  std::string file;
  std::string settings;  ///< `n=5,p=8`
  CostsRequest costs;
  std::string json;  ///< a file, - for stdout, empty: not asked for
};

/// Prints what a graph's program takes at one n and p, by the paper's sum and with its messages matched.
ExitCode evaluate_graph(const GraphEvaluateRequest& request);

}  // namespace loadshare::tool
