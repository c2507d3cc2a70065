#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/communication_model/fitted_model.hpp"

namespace loadshare::tool {

/// What every curve of a model says of one size.
struct Prediction {
  std::vector<std::string> names;  ///< the group
  double size = 0;
  communication::Estimate estimate;
};

/// Of each group all sizes, in the order they are given in.
std::vector<Prediction> predict(const FittedModel& model, const std::vector<double>& sizes);

/// A table for a person, with a word where a size was not measured or a line is negative.
std::string predictions_text(const FittedModel& model, const std::vector<Prediction>& predictions);

/// As JSON: `schema`, `fit`, `size`, `group_columns`, and `predictions`, each with `names`, `size`,
/// `seconds`, `low_s` and `high_s` (null where the size is extrapolated or the line is negative) and
/// `is_extrapolated`.
std::string predictions_json(const FittedModel& model, const std::vector<Prediction>& predictions);

}  // namespace loadshare::tool
