#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/fitted_model.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "base/types.hpp"
#include "models/messages/curve.hpp"
#include "models/messages/fit.hpp"
#include "models/messages/measurements.hpp"

namespace loadshare::tool {
namespace {

using communication::Estimate;
using nlohmann::ordered_json;

using communication::ColumnWishes, communication::MeasuredGroup, communication::Measurements;

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

/// What every curve of a model says of one size.
struct Prediction {
  std::vector<std::string> names;  ///< the group
  double size = 0;
  communication::Estimate estimate;
};

/// Extrapolated and negative times have no interval.
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
  return fmt::format(", or name with --by the columns that define groups (now {})",
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

/// Fits each group by the fit of that name; throws UsageError, with the place of a group that cannot be.
FittedModel fit_measurements(const Measurements& measurements, const std::string& fit) {
  FittedModel model{fit, measurements.size_name, measurements.group_columns, {}};
  for (const MeasuredGroup& group : measurements.groups)
    model.groups.push_back(
        {group.names, static_cast<Index>(group.samples.size()), curve_of(measurements, group, fit)});
  return model;
}

/// The usual fit where none was named.
std::string fit_name(const std::string& wish) {
  return wish.empty() ? communication::fits().front().name : communication::find_fit(wish).name;
}

FittedModel fitted(const std::string& path, const std::string& text, const ColumnWishes& columns,
                   const std::string& fit) {
  return fit_measurements(measurements_of(communication::parse_csv(path, text), columns), fit_name(fit));
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
      throw UsageError(fmt::format("{} applies to measurements", option),
                       request.path + " is a model, which is already fitted",
                       fmt::format("leave {} out, or give the measurements", option));
}

FittedModel model_behind(const PredictRequest& request) {
  const std::string text = read_measurements(request.path);
  if (!is_json(text)) return fitted(request.path, text, request.columns, request.fit);
  refuse_wishes(request);
  return parse_model(request.path, text);
}

/// Prints the tables (to stderr where stdout is for the JSON) and writes what was asked for. Throw UsageError
/// on bad input, before anything is written; Error (run_failed) where writing fails.
ExitCode tell_fit(const FitRequest& request) {
  const FittedModel model =
      fitted(request.path, read_measurements(request.path), request.columns, request.fit);
  loadshare::require_outputs({{"FILE", request.path}},
                             {{"--out", request.out, "the model"}, {"--json", request.json, "the JSON"}});
  const std::string json = model_json(model);
  if (!request.out.empty()) write_json(request.out, json);
  answer(request.json, "the fit", model_text(model), json);
  return ExitCode::good;
}

ExitCode tell_predictions(const PredictRequest& request) {
  const FittedModel model = model_behind(request);
  loadshare::require_outputs({{"FILE", request.path}}, {{"--json", request.json, "the JSON"}});
  const std::vector<Prediction> predictions = predict(model, request.sizes);
  answer(request.json, "the predictions", predictions_text(model, predictions),
         predictions_json(model, predictions));
  return ExitCode::good;
}

class Model final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.require_subcommand(1);
    describe_fit(*app.add_subcommand("fit", "Fit models to measured message times, and print or save them"));
    describe_predict(*app.add_subcommand("predict", "Predict the times of other sizes"));
  }

  ExitCode run() override {
    if (fit_ == "help") {
      print(table_help("The fits:", communication::fits()) + "\n");
      return ExitCode::good;
    }
    if (path_.empty())
      throw UsageError("FILE is required", "", fmt::format("see loadshare model {} --help", action_name_));
    return action_();
  }

 private:
  void describe_fit(CLI::App& app) {
    app.add_option("FILE", path_, "a CSV file of measurements with a header");
    add_columns(app);
    app.add_option("--out", out_, "save the model, for `loadshare model predict`")->type_name("MODEL.json");
    add_json(app);
    app.callback([this] {
      action_name_ = "fit";
      action_ = [this] { return tell_fit({path_, fit_, columns_, out_, json_}); };
    });
  }

  void describe_predict(CLI::App& app) {
    app.add_option("FILE", path_, "a model saved by `loadshare model fit`, or a CSV file of measurements");
    app.add_option("--at", at_, "sizes to predict, in the unit of the measurements")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("N1,N2,...");
    add_columns(app);
    add_json(app);
    app.callback([this] {
      action_name_ = "predict";
      action_ = [this] { return tell_predictions({path_, fit_, columns_, sizes(), json_}); };
    });
  }

  void add_columns(CLI::App& app) {
    app.add_option(
           "--fit", fit_,
           table_help("method of the fit (segmented); `--fit help` prints this list:", communication::fits()))
        ->type_name("FIT");
    app.add_option("--size", columns_.size,
                   "column of sizes (found by its name, as bytes or n_thousand_ints)")
        ->type_name("COLUMN");
    app.add_option("--time", columns_.time, "column of times, whose name ends in its unit: seconds, time_ms")
        ->type_name("COLUMN");
    app.add_option("--by", columns_.groups,
                   "columns that define groups, each with a model of its own (all but sizes and times)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("COLUMN,...");
  }

  void add_json(CLI::App& app) {
    app.add_option("--json", json_, "write it as JSON; - writes only the JSON, to stdout")
        ->type_name("FILE|-");
  }

  std::vector<double> sizes() const {
    if (at_.empty())
      throw UsageError("--at is required", "it names the sizes", "write it as --at 40,60,1600");
    std::vector<double> sizes;
    for (const std::string& word : at_) {
      sizes.push_back(number("--at", word));
      if (sizes.back() < 0) throw UsageError(fmt::format("--at is {}", word), "sizes are not negative");
    }
    return sizes;
  }

  std::function<ExitCode()> action_;
  std::string action_name_;
  std::string path_;
  std::string fit_;
  ColumnWishes columns_;
  std::vector<std::string> at_;
  std::string out_;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_model_command() {
  return std::make_unique<Model>();
}

}  // namespace loadshare::tool
