#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/loadshare/graph_drawing.hpp"
#include "models/program/reconstruction/prediction.hpp"
#include "models/program/reconstruction/reconstruction.hpp"
#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/expansion.hpp"
#include "models/program/timing_graph/graph.hpp"

namespace loadshare::tool {

/// What a graph consists of, and how many messages it sends at these parameters.
std::string graph_text(const timing_graph::Graph& graph, const std::vector<timing_graph::Setting>& settings,
                       const MessageEdges& found);

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

/// A setting, what a run of it will take, and what runs of it took.
struct PredictedPoint {
  scaling::Setting setting;
  std::optional<double> measured_s;  ///< nothing: no run of it is among the sources
  reconstruction::Prediction prediction;
};

/// What was made of a program's runs.
struct PredictionReport {
  std::string program;
  std::string costs;  ///< what the messages' costs are from, for people
  reconstruction::Reconstruction rebuilt;
  std::vector<PredictedPoint> points;
  std::vector<std::string> guesses;  ///< what they stand on and nobody measured
  std::vector<std::string> notes;
};

/// For people: a line a point, the partial times with their laws, and of a single point where its time goes.
std::string prediction_report_text(const PredictionReport& report);

/// One line of JSON, schema 1.
std::string prediction_report_json(const PredictionReport& report);

}  // namespace loadshare::tool
