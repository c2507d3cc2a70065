#include "apps/loadshare/communication_model/model.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "apps/common/own_files.hpp"
#include "apps/common/standard_output.hpp"
#include "apps/loadshare/communication_model/fitted_model.hpp"
#include "apps/loadshare/communication_model/model_json.hpp"
#include "apps/loadshare/communication_model/model_text.hpp"
#include "apps/loadshare/communication_model/predictions.hpp"
#include "apps/loadshare/communication_model/text_file.hpp"
#include "apps/loadshare/output.hpp"
#include "models/communication/fit.hpp"
#include "runtime/timing/output_path.hpp"

namespace loadshare::tool {
namespace {

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
