#include "experiments/sweep/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/statistics.hpp"

namespace loadshare::sweep {
namespace {

using nlohmann::json;

/// Returns a value of an axis as it is written in a sweep file.
std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string text_at(const json& map, const char* key) {
  return map.contains(key) && !map[key].is_null() ? text_of(map[key]) : std::string();
}

/// Returns the only axis that has several values; empty if there are more, or none.
std::string only_axis(const json& axes) {
  std::string only;
  for (const json& axis : axes) {
    if (axis.at("values").size() < 2) continue;
    if (!only.empty()) return "";
    only = axis.at("name").get<std::string>();
  }
  return only;
}

/// Returns how often a stop rule was checked; 1 if the number of runs was given. A manifest without `looks`
/// is of an older version, which checked after each run.
Index checks_of(const json& repeat) {
  if (repeat.contains("looks")) return static_cast<Index>(repeat["looks"].size());
  if (!repeat.contains("at-most")) return 1;
  const Index first = std::max(repeat.at("at-least").get<Index>(), least_samples_of_interval);
  return repeat["at-most"].get<Index>() - first + 1;
}

Index repeats_of(const json& repeat) {
  return repeat.value(repeat.contains("times") ? "times" : "at-most", Index{0});
}

double margin_of(const json& entry) {
  const double margin = entry.value("equal-within", default_equal_within);
  if (margin > 0) return margin;
  throw UsageError(fmt::format("equal-within is {}", margin), "it must be above 0",
                   "set a share such as 0.03 in sweep.json");
}

MeasuredExperiment experiment_of(const json& entry) {
  MeasuredExperiment experiment;
  experiment.name = entry.at("name").get<std::string>();
  const std::string title = text_at(entry, "title");
  experiment.title = title.empty() ? experiment.name : title;
  experiment.along = text_at(entry, "compare");
  experiment.baseline = experiment.along.empty() ? "" : text_at(entry, "baseline");
  if (experiment.along.empty()) experiment.along = only_axis(entry.value("axes", json::array()));
  experiment.equal_within = margin_of(entry);
  experiment.repeats = repeats_of(entry.value("repeat", json::object()));
  experiment.error =
      most_error / static_cast<double>(std::max<Index>(1, checks_of(entry.value("repeat", json::object()))));
  for (const json& point : entry.at("points")) {
    MeasuredPoint& measured = experiment.points.emplace_back();
    measured.id = point.at("id").get<std::string>();
    for (const auto& [axis, value] : point.at("parameters").items())
      measured.parameters[axis] = text_of(value);
  }
  return experiment;
}

constexpr double whole_processor = 0.999;

/// Returns nothing if the record lacks it, or if the run was meant to lose time to a load or a quota.
std::optional<double> stolen_share(const json& record) {
  if (record.contains("load") && !record["load"].is_null()) return std::nullopt;
  double stolen_s = 0, all_s = 0;
  for (const json& rank : record.value("ranks", json::array())) {
    if (!rank.contains("stolen_s") || rank.value("capacity", 1.0) < whole_processor) return std::nullopt;
    stolen_s += rank["stolen_s"].get<double>();
    all_s += record["makespan_s"].get<double>();
  }
  return all_s > 0 ? std::optional(stolen_s / all_s) : std::nullopt;
}

/// Throws nlohmann's exceptions if the line is not a run.
void take_run(const json& line, std::map<std::string, MeasuredPoint*>& points) {
  const auto found = points.find(line.at("point").get<std::string>());
  if (found == points.end() || line.at("status") != "ok" || !line.at("record").is_object()) return;
  const json& record = line["record"];
  if (record.value("verified", json()) == false) return;
  const double makespan_s = record.at("makespan_s").get<double>();
  if (!std::isfinite(makespan_s) || makespan_s <= 0) return;
  found->second->times_s[line.at("repetition").get<Index>()] = makespan_s;
  if (const auto stolen = stolen_share(record)) found->second->stolen.push_back(*stolen);
}

void take_runs(const std::string& path, std::map<std::string, MeasuredPoint*>& points) {
  if (!std::filesystem::exists(path)) return;
  LineFile file(path);
  for (std::string line; file.next(line);) {
    try {
      take_run(json::parse(line), points);
    } catch (const json::exception&) {
      continue;  // incomplete or damaged: the report lists the missing run
    }
  }
}

}  // namespace

std::vector<MeasuredExperiment> planned_experiments(const json& manifest) {
  std::vector<MeasuredExperiment> experiments;
  for (const json& entry : manifest.at("experiments")) {
    experiments.push_back(experiment_of(entry));
    experiments.back().is_reduced = manifest.value("reduced", false);
  }
  return experiments;
}

std::vector<MeasuredExperiment> read_experiments(const std::string& folder) {
  try {
    return planned_experiments(json::parse(content_of(folder + "/sweep.json")));
  } catch (const json::exception&) {
    throw UsageError(folder + " is not a sweep's folder", "its sweep.json is damaged",
                     "name a folder that loadshare sweep wrote");
  }
}

std::vector<MeasuredExperiment> read_results(const std::string& folder) {
  std::vector<MeasuredExperiment> experiments = read_experiments(folder);
  std::map<std::string, MeasuredPoint*> points;
  for (MeasuredExperiment& experiment : experiments)
    for (MeasuredPoint& point : experiment.points) points[point.id] = &point;
  take_runs(folder + "/runs.jsonl", points);
  std::erase_if(experiments, [](const MeasuredExperiment& experiment) {
    return std::ranges::all_of(experiment.points,
                               [](const MeasuredPoint& point) { return point.times_s.empty(); });
  });
  return experiments;
}

}  // namespace loadshare::sweep
