#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/reconstruction/prediction.hpp"

namespace loadshare::tool {

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
  std::vector<std::string> notes;
};

/// For people: a line a point, the partial times with their laws, and of a single point where its time goes.
std::string prediction_report_text(const PredictionReport& report);

/// One line of JSON, schema 1.
std::string prediction_report_json(const PredictionReport& report);

}  // namespace loadshare::tool
