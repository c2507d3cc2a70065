#include "experiments/sweep/manifest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "experiments/sweep/json_values.hpp"
#include "experiments/sweep/launch_reader.hpp"

namespace loadshare::sweep {
namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json scalar_or_null(const std::optional<Scalar>& value) {
  return value ? to_json(*value) : ordered_json(nullptr);
}

ordered_json launch_json(const Launch& launch) {
  ordered_json json;
  json["with"] = launch_name(launch.with);
  json["lab"] = launch.lab_file.empty() ? ordered_json(nullptr) : ordered_json(launch.lab_file);
  json["ranks"] = or_null(launch.ranks);
  json["workers"] = or_null(launch.workers);
  json["arguments"] = launch.arguments;
  json["timeout_s"] = launch.timeout_s;
  return json;
}

ordered_json repeat_json(const Repeat& repeat) {
  if (repeat.is_fixed()) return {{"times", repeat.at_least}};
  return {{"at-least", repeat.at_least}, {"at-most", repeat.at_most}, {"within", repeat.within}};
}

ordered_json options_json(const Options& options) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : options) json[name] = to_json(value);
  return json;
}

ordered_json axes_json(const std::vector<Axis>& axes) {
  ordered_json json = ordered_json::array();
  for (const Axis& axis : axes) {
    ordered_json values = ordered_json::array();
    for (const Scalar& value : axis.values) values.push_back(to_json(value));
    json.push_back({{"name", axis.name}, {"values", values}, {"walk", axis.walk}});
  }
  return json;
}

ordered_json points_json(const std::vector<Point>& points) {
  ordered_json json = ordered_json::array();
  for (const Point& point : points)
    json.push_back({{"id", point.id}, {"parameters", to_json(point.parameters)}});
  return json;
}

ordered_json experiment_json(const Experiment& experiment) {
  ordered_json json;
  json["name"] = experiment.name;
  json["title"] = experiment.title;
  json["program"] = experiment.program;
  json["launch"] = launch_json(experiment.launch);
  json["options"] = options_json(experiment.options);
  json["load"] = scalar_or_null(experiment.load);
  json["axes"] = axes_json(experiment.axes);
  json["compare"] = or_null(experiment.compare);
  json["baseline"] = scalar_or_null(experiment.baseline);
  json["repeat"] = repeat_json(experiment.repeat);
  json["points"] = points_json(experiment.points);
  return json;
}

/// The value at `key`, null where it is not there.
ordered_json part(const ordered_json& json, const char* key) {
  return json.is_object() && json.contains(key) ? json[key] : ordered_json(nullptr);
}

/// How an experiment is launched, as far as it changes what is measured. A lab's file may be named from
/// another folder.
ordered_json essential(ordered_json launch) {
  if (!launch.is_object()) return launch;
  launch.erase("timeout_s");
  if (part(launch, "lab").is_string())
    launch["lab"] = std::filesystem::path(launch["lab"].get<std::string>()).filename().string();
  return launch;
}

std::string experiment_difference(const ordered_json& older, const ordered_json& newer) {
  if (essential(part(older, "launch")) != essential(part(newer, "launch"))) return "another launch";
  for (const char* key : {"program", "options", "load", "compare", "points"})
    if (part(older, key) != part(newer, key)) return fmt::format("another '{}'", key);
  return "";
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

ordered_json manifest_of(const SweepSpec& spec, const std::string& version) {
  ordered_json json;
  json["schema"] = 1;
  json["title"] = spec.title;
  json["source"] = spec.source;
  json["reduced"] = spec.setting == Setting::reduced;
  json["seed"] = spec.seed;
  json["experiments"] = ordered_json::array();
  for (const Experiment& experiment : spec.experiments)
    json["experiments"].push_back(experiment_json(experiment));
  json["versions"] = {{"loadshare", version}};
  json["host"] = host_name();
  json["processors"] = sysconf(_SC_NPROCESSORS_ONLN);
  return json;
}

std::string difference(const ordered_json& older, const ordered_json& newer) {
  if (part(older, "reduced") != part(newer, "reduced"))
    return part(older, "reduced") == true ? "it was reduced" : "it was not reduced";
  for (const char* key : {"schema", "seed"})
    if (part(older, key) != part(newer, key)) return fmt::format("it had another '{}'", key);
  const ordered_json before = part(older, "experiments");
  const ordered_json now = part(newer, "experiments");
  if (before.size() != now.size()) return "it had another number of experiments";
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (part(before[i], "name") != now[i]["name"])
      return fmt::format("it had no experiment {} there", now[i]["name"].get<std::string>());
    if (const std::string what = experiment_difference(before[i], now[i]); !what.empty())
      return fmt::format("experiment {} had {}", now[i]["name"].get<std::string>(), what);
  }
  return "";
}

}  // namespace loadshare::sweep
