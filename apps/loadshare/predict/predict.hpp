#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/output.hpp"
#include "apps/loadshare/predict/question.hpp"
#include "base/error.hpp"

namespace loadshare::tool {

/// `loadshare predict`: what techniques would make of a loop on some hosts, before any of it is run.
struct FarmPredictRequest {
  QuestionRequest question;
  std::vector<std::string> schedulers;  ///< specs; none: those worth trying
  std::string replicates = "30";
  bool asks_how_many = false;  ///< hosts to take: also by the number of the hosts
  FigureFiles outputs;         ///< its plot is the chosen technique's Gantt chart
};

/// Prints the table (to stderr where stdout is for the JSON), writes what was asked for. A chart is drawn by
/// python, which this process then goes on as. Throws UsageError on bad input.
ExitCode predict_farm(const FarmPredictRequest& request);

}  // namespace loadshare::tool
