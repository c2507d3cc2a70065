#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/communication_model/columns.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {

/// `loadshare model fit`: curves through a person's own measurements.
struct FitRequest {
  std::string path;
  std::string fit;
  ColumnWishes columns;
  std::string out;   ///< the model, or empty for none
  std::string json;  ///< the same, "-" for stdout, or empty for none
};

/// `loadshare model predict`: what such curves, from a model or fitted there and then, say of sizes.
struct PredictRequest {
  std::string path;
  std::string fit;  ///< of measurements; a model has been fitted already
  ColumnWishes columns;
  std::vector<double> sizes;
  std::string json;
};

/// Prints the tables (to stderr where stdout is for the JSON) and writes what was asked for. Throw UsageError
/// on bad input, before anything is written; Error (run_failed) where writing fails.
ExitCode tell_fit(const FitRequest& request);
ExitCode tell_predictions(const PredictRequest& request);

}  // namespace loadshare::tool
