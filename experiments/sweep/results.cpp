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

/// A value of an axis as it stands in a sweep file.
std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string text_at(const json& map, const char* key) {
  return map.contains(key) && !map[key].is_null() ? text_of(map[key]) : std::string();
}

/// The only axis that has several values; empty: there are more, or none.
std::string only_axis(const json& axes) {
  std::string only;
  for (const json& axis : axes) {
    if (axis.at("values").size() < 2) continue;
    if (!only.empty()) return "";
    only = axis.at("name").get<std::string>();
  }
  return only;
}

/// How often it was looked whether a point has run often enough: once where the number of runs was given. A
/// sweep that does not say when looked after each run.
Index looks_at(const json& repeat) {
  if (repeat.contains("looks")) return static_cast<Index>(repeat["looks"].size());
  if (!repeat.contains("at-most")) return 1;
  const Index first = std::max(repeat.at("at-least").get<Index>(), least_samples_of_interval);
  return repeat["at-most"].get<Index>() - first + 1;
}

double margin_of(const json& entry) {
  const double margin = entry.value("equal-within", default_equal_within);
  if (margin > 0) return margin;
  throw UsageError(fmt::format("equal-within is {}", margin), "no two times are equal within nothing",
                   "give more than 0 in sweep.json, as 0.03");
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
  experiment.error =
      most_error / static_cast<double>(std::max<Index>(1, looks_at(entry.value("repeat", json::object()))));
  for (const json& point : entry.at("points")) {
    MeasuredPoint& measured = experiment.points.emplace_back();
    measured.id = point.at("id").get<std::string>();
    for (const auto& [axis, value] : point.at("parameters").items())
      measured.parameters[axis] = text_of(value);
  }
  return experiment;
}

constexpr double whole_processor = 0.999;

/// Nothing where the record does not tell it, or where it was meant to be taken.
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

/// Throws what nlohmann throws where the line is no run.
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
      continue;  // torn or damaged: what it would have told is missing, and the report says so
    }
  }
}

}  // namespace

std::vector<MeasuredExperiment> read_experiments(const std::string& folder) {
  std::vector<MeasuredExperiment> experiments;
  try {
    const json manifest = json::parse(content_of(folder + "/sweep.json"));
    for (const json& entry : manifest.at("experiments")) experiments.push_back(experiment_of(entry));
  } catch (const json::exception&) {
    throw UsageError(folder + " is not a sweep's folder", "its sweep.json is not as a sweep writes it");
  }
  return experiments;
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
