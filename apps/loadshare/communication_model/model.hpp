#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/communication_model/measurements.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "models/messages/curve.hpp"

namespace loadshare::tool {

struct FittedGroup {
  std::vector<std::string> names;
  Index samples = 0;
  communication::Curve curve;
};

/// A curve for each group of a person's measurements.
struct FittedModel {
  static constexpr int schema = 1;  ///< of its JSON

  std::string fit;
  std::string size_name;
  std::vector<std::string> group_columns;
  std::vector<FittedGroup> groups;
};

/// Fits each group by the fit of that name; throws UsageError, with the place of a group that cannot be.
FittedModel fit_measurements(const Measurements& measurements, const std::string& fit);

/// The names of a group in one line: "C1 standard sender".
std::string group_text(const std::vector<std::string>& names);

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
