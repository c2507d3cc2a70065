#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/graph/costs.hpp"
#include "base/error.hpp"
#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/expansion.hpp"

namespace loadshare::tool {

/// Both evaluations of a graph at one n and p.
struct EvaluationReport {
  std::string name;
  std::vector<timing_graph::Setting> settings;
  std::string costs;  ///< what the messages' costs are from, for people
  timing_graph::Program program;
  timing_graph::Evaluation matched;
  timing_graph::SumOfParts sum;
};

/// A step of a process and how long it is on the critical path.
struct PathShare {
  std::int32_t process = 0;
  std::uint32_t origin = 0;
  double seconds = 0;
};

/// The parts of the critical path put together by process and step, the longest first.
std::vector<PathShare> path_shares(const timing_graph::Evaluation& evaluation);

/// For people: both makespans, a line a process, the longest shares of the critical path.
std::string evaluation_text(const EvaluationReport& report);

/// One line of JSON, schema 1.
std::string evaluation_json(const EvaluationReport& report);

struct GraphEvaluateRequest {
  std::string file;
  std::string settings;  ///< `n=5,p=8`
  CostsRequest costs;
  std::string json;  ///< a file, - for stdout, empty: not asked for
};

/// Prints what a graph's program takes at one n and p, by the paper's sum and with its messages matched.
ExitCode evaluate_graph(const GraphEvaluateRequest& request);

}  // namespace loadshare::tool
