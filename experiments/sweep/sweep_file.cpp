#include "experiments/sweep/sweep_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/sweep/axes.hpp"
#include "experiments/sweep/settings.hpp"

namespace loadshare::sweep {
namespace {

constexpr Index file_schema = 1;

const std::array<std::string, 11> file_keys{"schema",  "title",        "seed",       "program",
                                            "launch",  "options",      "load",       "repeat",
                                            "reduced", "equal-within", "experiments"};
const std::array<std::string, 14> experiment_keys{"name",    "title",   "program",  "launch",      "options",
                                                  "load",    "repeat",  "reduced",  "matrix",      "zip",
                                                  "exclude", "compare", "baseline", "equal-within"};
const std::array<std::string, 6> reduced_file_keys{"program", "launch", "options",
                                                   "load",    "repeat", "equal-within"};
const std::array<std::string, 11> reduced_keys{"program", "launch",   "options",     "load",
                                               "repeat",  "matrix",   "zip",         "exclude",
                                               "compare", "baseline", "equal-within"};

void require_schema(yaml::Map& file) {
  const yaml::Value schema = file.at("schema");
  const Index number = schema.integer();
  if (number != file_schema)
    throw schema.error(fmt::format("schema is {}", number), "this program reads schema 1");
}

/// Returns the `reduced:` map of a map, with its keys checked.
std::optional<yaml::Map> reduced_of(yaml::Map& map, std::span<const std::string> known) {
  const auto value = map.find("reduced");
  if (!value) return std::nullopt;
  yaml::Map reduced = value->map();
  reduced.require_known(known);
  return reduced;
}

std::string read_name(yaml::Map& map, const std::vector<Experiment>& others) {
  const yaml::Value value = map.at("name");
  const std::string name = value.text();
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (!std::ranges::all_of(name, is_plain))
    throw value.wrong("names consist of letters, digits and the characters - _ .");
  if (std::ranges::find(others, name, &Experiment::name) != others.end())
    throw value.wrong("another experiment has this name", "give each experiment its own name");
  return name;
}

Experiment read_experiment(yaml::Map file, yaml::Map map, Setting setting, const SchedulerTable& schedulers,
                           const std::vector<Experiment>& others) {
  map.require_known(experiment_keys);
  Experiment experiment;
  experiment.name = read_name(map, others);
  const auto title = map.find("title");
  experiment.title = title ? title->text() : experiment.name;
  auto reduced_file = reduced_of(file, reduced_file_keys);
  auto reduced = reduced_of(map, reduced_keys);
  const yaml::Value place = map.value();
  Layers settings, axes;
  settings.lay(std::move(file));
  settings.lay(map);
  axes.lay(std::move(map));
  if (setting == Setting::reduced && reduced_file) settings.lay(std::move(*reduced_file));
  if (setting == Setting::reduced && reduced) {
    settings.lay(*reduced);
    axes.lay(std::move(*reduced));
  }
  read_settings(settings, place, schedulers, experiment);
  read_axes(axes, place, setting, schedulers, experiment);
  return experiment;
}

}  // namespace

SweepSpec read_sweep(const yaml::Value& value, Setting setting, const SchedulerTable& schedulers) {
  yaml::Map file = value.map();
  require_schema(file);
  file.require_known(file_keys);
  SweepSpec spec;
  spec.source = value.file();
  spec.setting = setting;
  spec.title = file.at("title").text();
  if (const auto seed = file.find("seed")) spec.seed = static_cast<std::uint64_t>(seed->integer());
  const yaml::Value list = file.at("experiments");
  for (const yaml::Value& experiment : list.list())
    spec.experiments.push_back(
        read_experiment(file, experiment.map(), setting, schedulers, spec.experiments));
  if (spec.experiments.empty()) throw list.wrong("there is nothing to run", "list at least one experiment");
  return spec;
}

}  // namespace loadshare::sweep
