#include "apps/loadshare/communication_model/model.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/loadshare/communication_model/report.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/wording.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "models/messages/fit.hpp"

namespace loadshare::tool {
namespace {

/// What every curve of a model says of one size.
struct Prediction {
  std::vector<std::string> names;  ///< the group
  double size = 0;
  communication::Estimate estimate;
};

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

/// Of each group all sizes, in the order they are given in.
std::vector<Prediction> predict(const FittedModel& model, const std::vector<double>& sizes) {
  std::vector<Prediction> predictions;
  for (const FittedGroup& group : model.groups)
    for (const double size : sizes) predictions.push_back({group.names, size, group.curve.at(size)});
  return predictions;
}

/// A table for a person, with a word where a size was not measured or a line is negative.
std::string predictions_text(const FittedModel& model, const std::vector<Prediction>& predictions) {
  std::vector<std::string> heading = model.group_columns;
  for (const std::string& name : {model.size_name, std::string("time"), std::string("9 of 10 from"),
                                  std::string("to"), std::string("")})
    heading.push_back(name);
  std::vector<std::vector<std::string>> rows{heading};
  for (const Prediction& prediction : predictions) rows.push_back(cells_of(prediction));
  return table_text(rows, model.group_columns.size());
}

/// As JSON: `schema`, `fit`, `size`, `group_columns`, and `predictions`, each with `names`, `size`,
/// `seconds`, `low_s` and `high_s` (null where the size is extrapolated or the line is negative) and
/// `is_extrapolated`.
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

/// A column that merely numbers the rows makes a group of each.
std::string columns_to_name(const Measurements& all, const MeasuredGroup& group) {
  if (all.group_columns.empty() || group.samples.size() >= communication::fewest_samples) return "";
  return fmt::format(", or name with --by the columns that tell groups apart (now {})",
                     list_names(all.group_columns));
}

communication::Curve curve_of(const Measurements& all, const MeasuredGroup& group, const std::string& fit) {
  try {
    communication::require_fittable(group.samples);
  } catch (const UsageError& error) {
    const std::string name = group.names.empty() ? "" : group_text(group.names) + ": ";
    throw UsageError(fmt::format("{}: {}{}{}", group.place, name, error.what(), columns_to_name(all, group)));
  }
  return communication::fit_curve(fit, group.samples);
}

/// The usual fit where none was named.
std::string fit_name(const std::string& wish) {
  return wish.empty() ? communication::fits().front().name : communication::find_fit(wish).name;
}

void require_outputs(const std::string& path, const std::string& out, const std::string& json) {
  const std::string json_file = json == "-" ? "" : json;
  require_own_files({{"FILE", path}}, {{"--out", out}, {"--json", json_file}});
  if (!out.empty()) require_writable(out, "the model");
  if (!json_file.empty()) require_writable(json_file, "the JSON");
}

FittedModel fitted(const std::string& path, const std::string& text, const ColumnWishes& columns,
                   const std::string& fit) {
  return fit_measurements(measurements_of(parse_csv(path, text), columns), fit_name(fit));
}

std::string read_measurements(const std::string& path) {
  std::string text = read_text_file(path);
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw UsageError(fmt::format("{} is empty", path), "there is nothing to fit",
                     "give a file of measurements");
  return text;
}

bool is_json(const std::string& text) {
  return text[text.find_first_not_of(" \t\r\n")] == '{';
}

/// A model has its fit and its columns.
void refuse_wishes(const PredictRequest& request) {
  const ColumnWishes& columns = request.columns;
  for (const auto& [option, is_given] : {std::pair{"--fit", !request.fit.empty()},
                                         {"--size", !columns.size.empty()},
                                         {"--time", !columns.time.empty()},
                                         {"--by", !columns.groups.empty()}})
    if (is_given)
      throw UsageError(fmt::format("{} is for measurements", option),
                       request.path + " is a model, which has been fitted",
                       fmt::format("leave {} out, or give the measurements", option));
}

FittedModel model_behind(const PredictRequest& request) {
  const std::string text = read_measurements(request.path);
  if (!is_json(text)) return fitted(request.path, text, request.columns, request.fit);
  refuse_wishes(request);
  return parse_model(request.path, text);
}

std::FILE* place_of_tables(const std::string& json) {
  return json == "-" ? stderr : stdout;
}

}  // namespace

FittedModel fit_measurements(const Measurements& measurements, const std::string& fit) {
  FittedModel model{fit, measurements.size_name, measurements.group_columns, {}};
  for (const MeasuredGroup& group : measurements.groups)
    model.groups.push_back(
        {group.names, static_cast<Index>(group.samples.size()), curve_of(measurements, group, fit)});
  return model;
}

std::string group_text(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

ExitCode tell_fit(const FitRequest& request) {
  const FittedModel model =
      fitted(request.path, read_measurements(request.path), request.columns, request.fit);
  require_outputs(request.path, request.out, request.json);
  show(place_of_tables(request.json), "the fit", model_text(model));
  for (const std::string& path : {request.out, request.json})
    if (!path.empty()) write_json(path, model_json(model));
  return ExitCode::good;
}

ExitCode tell_predictions(const PredictRequest& request) {
  const FittedModel model = model_behind(request);
  require_outputs(request.path, "", request.json);
  const std::vector<Prediction> predictions = predict(model, request.sizes);
  show(place_of_tables(request.json), "the predictions", predictions_text(model, predictions));
  if (!request.json.empty()) write_json(request.json, predictions_json(model, predictions));
  return ExitCode::good;
}

}  // namespace loadshare::tool
