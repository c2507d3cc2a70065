#include "apps/loadshare/communication_model/predictions.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/loadshare/communication_model/wording.hpp"
#include "apps/loadshare/metrics/wording.hpp"

namespace loadshare::tool {
namespace {

using communication::Estimate;
using nlohmann::ordered_json;

/// Of what was not measured there is none, nor of a time that cannot be.
bool has_interval(const Estimate& estimate) {
  return !estimate.is_extrapolated && estimate.seconds >= 0;
}

std::string remark_on(const Estimate& estimate) {
  if (estimate.seconds < 0) return estimate.is_extrapolated ? "extrapolated, negative" : "negative";
  return estimate.is_extrapolated ? "extrapolated" : "";
}

std::vector<std::string> cells_of(const Prediction& prediction) {
  const Estimate& estimate = prediction.estimate;
  std::vector<std::string> cells = prediction.names;
  cells.push_back(size_text(prediction.size));
  cells.push_back(fine_duration_text(estimate.seconds));
  cells.push_back(has_interval(estimate) ? fine_duration_text(estimate.low_s) : "-");
  cells.push_back(has_interval(estimate) ? fine_duration_text(estimate.high_s) : "-");
  cells.push_back(remark_on(estimate));
  return cells;
}

ordered_json json_of(const Prediction& prediction) {
  const Estimate& estimate = prediction.estimate;
  const auto bound = [&](double seconds) {
    return has_interval(estimate) ? ordered_json(seconds) : ordered_json(nullptr);
  };
  return {{"names", prediction.names},        {"size", prediction.size},
          {"seconds", estimate.seconds},      {"low_s", bound(estimate.low_s)},
          {"high_s", bound(estimate.high_s)}, {"is_extrapolated", estimate.is_extrapolated}};
}

}  // namespace

std::vector<Prediction> predict(const FittedModel& model, const std::vector<double>& sizes) {
  std::vector<Prediction> predictions;
  for (const FittedGroup& group : model.groups)
    for (const double size : sizes) predictions.push_back({group.names, size, group.curve.at(size)});
  return predictions;
}

std::string predictions_text(const FittedModel& model, const std::vector<Prediction>& predictions) {
  std::vector<std::string> heading = model.group_columns;
  for (const std::string& name : {model.size_name, std::string("time"), std::string("9 of 10 from"),
                                  std::string("to"), std::string("")})
    heading.push_back(name);
  std::vector<std::vector<std::string>> rows{heading};
  for (const Prediction& prediction : predictions) rows.push_back(cells_of(prediction));
  return table_text(rows, model.group_columns.size());
}

std::string predictions_json(const FittedModel& model, const std::vector<Prediction>& predictions) {
  ordered_json all = ordered_json::array();
  for (const Prediction& prediction : predictions) all.push_back(json_of(prediction));
  return ordered_json{{"schema", FittedModel::schema},
                      {"fit", model.fit},
                      {"size", model.size_name},
                      {"group_columns", model.group_columns},
                      {"predictions", all}}
             .dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace loadshare::tool
