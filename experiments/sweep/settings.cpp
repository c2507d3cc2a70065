#include "experiments/sweep/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/names.hpp"
#include "base/statistics.hpp"
#include "experiments/sweep/command.hpp"
#include "experiments/sweep/points.hpp"
#include "runtime/load/load_spec.hpp"

namespace loadshare::sweep {
namespace {

constexpr const char* scheduler_option = "scheduler";
constexpr Index most_repeats = 1'000'000;

Repeat read_rule(yaml::Map map) {
  Repeat repeat;
  if (const auto times = map.find("times")) {
    repeat.at_least = repeat.at_most = times->integer(1, most_repeats);
    map.finish();
    return repeat;
  }
  repeat.at_least = map.at("at-least").integer(1, most_repeats);
  const yaml::Value at_most = map.at("at-most");
  repeat.at_most = at_most.integer(repeat.at_least, most_repeats);
  repeat.within = map.at("within").percentage();
  map.finish();
  if (repeat.at_most < least_samples_of_interval)
    throw at_most.error(
        fmt::format("at-most is {}", repeat.at_most),
        fmt::format("a 95 % interval of the median needs at least {} runs", least_samples_of_interval),
        fmt::format("set at-most to {} or more, or a fixed number: `repeat: 5`", least_samples_of_interval));
  repeat.at_least = std::max(repeat.at_least, least_samples_of_interval);
  return repeat;
}

Repeat read_repeat(const yaml::Value& value) {
  if (value.is_map()) return read_rule(value.map());
  const Index times = value.integer(1, most_repeats);
  return {times, times, 0};
}

double read_margin(const yaml::Value& value) {
  const double margin = value.percentage();
  if (margin <= 0) throw value.wrong("it must be above 0", "set a share such as 3%");
  return margin;
}

/// Throws UsageError if a list is given for the single value of all runs.
void require_one(const yaml::Value& value, const std::string& name) {
  if (!value.is_list()) return;
  std::string texts;
  for (const yaml::Value& one : value.list()) texts += (texts.empty() ? "" : ", ") + one.text();
  throw value.error(fmt::format("{} is a list", name), "this key has one value for all runs",
                    fmt::format("make it an axis: matrix: {{{}: [{}]}}", name, texts));
}

void read_options(Layers& layers, const SchedulerTable& schedulers, Experiment& experiment) {
  for (const auto& [name, value] : layers.merged("options")) {
    require_option_name(value, name);
    if (name == load_axis)
      throw value.error("load is among the options", "the sweep adds the seed of its phases",
                        "make it a key next to `options`");
    require_one(value, name);
    check_option(value, name, experiment.program, schedulers);
    experiment.options.emplace_back(name, read_scalar(value));
    experiment.places[name] = place_of(value);
  }
}

constexpr Choices<LaunchKind, 4> launches{{{"in-process", LaunchKind::in_process},
                                           {"mpirun", LaunchKind::mpirun},
                                           {"srun", LaunchKind::srun},
                                           {"lab", LaunchKind::lab}}};

LaunchKind read_kind(const yaml::Value& value) {
  const std::string text = value.text();
  std::vector<std::string> names;
  for (const auto& [name, kind] : launches) {
    if (text == name) return kind;
    names.emplace_back(name);
  }
  throw value.wrong(fmt::format("valid: {}", list_names(names)), did_you_mean(text, names));
}

/// Returns the path relative to the file that names it.
std::string relative_to(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();
}

void read_key(const std::string& key, const yaml::Value& value, Launch& launch) {
  static const std::vector<std::string> keys{"with", "lab", "ranks", "workers", "arguments", "timeout"};
  if (key == "ranks" || key == "workers") require_one(value, key);
  if (key == "with")
    launch.with = read_kind(value);
  else if (key == "lab") {
    launch.lab_file = relative_to(value.file(), value.text());
    launch.lab_place = place_of(value);
  } else if (key == "ranks") {
    launch.ranks = value.integer(1, most_launched);
    launch.ranks_place = place_of(value);
  } else if (key == "workers")
    launch.workers = value.integer(1, most_launched);
  else if (key == "timeout")
    launch.timeout_s = value.duration_s();
  else if (key == "arguments") {
    launch.arguments.clear();
    for (const yaml::Value& word : value.list()) launch.arguments.push_back(word.text());
  } else
    throw value.error(fmt::format("unknown key '{}' in launch", key),
                      fmt::format("valid: {}", list_names(keys)), did_you_mean(key, keys));
  if (key == "timeout" && launch.timeout_s <= 0)
    throw value.wrong("it must be above 0", "allow a run some time, such as 60s");
}

/// Refuses keys that this kind of launch does not use. Only the topmost map is checked, because lower ones
/// may be for another kind.
void require_fitting(const yaml::Value& topmost, LaunchKind kind) {
  const bool is_in_process = kind == LaunchKind::in_process;
  std::vector<std::string> fitting{"with", "timeout"};
  if (is_in_process) fitting.emplace_back("workers");
  if (!is_in_process) fitting.insert(fitting.end(), {"ranks", "arguments"});
  if (kind == LaunchKind::lab) fitting.emplace_back("lab");
  for (const auto& [key, value] : topmost.map().all())
    if (std::ranges::find(fitting, key) == fitting.end())
      throw value.error(fmt::format("{} is in a launch with {}", key, launch_name(kind)),
                        fmt::format("valid: {}", list_names(fitting)), "leave it out");
}

bool is_axis(Layers& layers, const std::string& name) {
  const auto is_called = [&](const auto& entry) { return entry.first == name; };
  return std::ranges::any_of(layers.merged("matrix"), is_called) ||
         std::ranges::any_of(layers.merged("zip"), is_called);
}

/// Reads the merged `launch:` of an experiment; reports a missing key at `place`.
Launch read_launch(Layers& layers, const yaml::Value& place, const std::string& experiment) {
  Launch launch;
  for (const auto& [key, value] : layers.merged("launch")) read_key(key, value, launch);
  const auto topmost = layers.find("launch");
  if (topmost) require_fitting(*topmost, launch.with);
  const yaml::Value at = topmost.value_or(place);
  const bool counts_ranks = launch.with == LaunchKind::mpirun || launch.with == LaunchKind::srun;
  if (counts_ranks && !launch.ranks && !is_axis(layers, ranks_axis))
    throw at.error(fmt::format("launch of {} has no 'ranks'", experiment),
                   fmt::format("{} needs their number", launch_name(launch.with)),
                   "add ranks: 2, or make them an axis: matrix: {ranks: [1, 2]}");
  if (launch.with == LaunchKind::lab && launch.lab_file.empty())
    throw at.error(fmt::format("launch of {} has no 'lab'", experiment), "",
                   "name the lab's file: lab: now.yaml");
  return launch;
}

}  // namespace

std::optional<yaml::Value> Layers::find(const std::string& key) {
  std::optional<yaml::Value> topmost;
  for (yaml::Map& map : maps_)
    if (auto value = map.find(key)) topmost = std::move(value);
  return topmost;
}

std::vector<std::pair<std::string, yaml::Value>> Layers::merged(const std::string& key) {
  std::vector<std::pair<std::string, yaml::Value>> all;
  for (yaml::Map& map : maps_) {
    const auto value = map.find(key);
    if (!value) continue;
    for (auto& [name, inner] : value->map().all()) {
      const auto known = std::ranges::find(all, name, &std::pair<std::string, yaml::Value>::first);
      if (known == all.end())
        all.emplace_back(name, std::move(inner));
      else
        known->second = std::move(inner);
    }
  }
  return all;
}

std::string launch_name(LaunchKind kind) {
  return name_among(launches, kind);
}

Scalar read_scalar(const yaml::Value& value) {
  return {value.text(), value.is_boolean() ? Scalar::Form::flag : Scalar::Form::text, value.is_quoted()};
}

std::string place_of(const yaml::Value& value) {
  return fmt::format("{}:{}:{}: ", value.file(), value.position().line, value.position().column);
}

void require_option_name(const yaml::Value& value, const std::string& name) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (name.starts_with('-'))
    throw value.error(fmt::format("an option is named '{}'", name), "the sweep adds the dashes",
                      "leave them out");
  if (!std::ranges::all_of(name, is_plain))
    throw value.error(fmt::format("an option is named '{}'", name),
                      "names consist of lower-case letters, digits and -");
  if (name == "json" || name == "progress")
    throw value.error(fmt::format("{} is among the options", name), "the sweep sets it itself",
                      "leave it out");
}

void check_option(const yaml::Value& value, const std::string& name, const std::string& program,
                  const SchedulerTable& schedulers) {
  if ((name != scheduler_option && name != load_axis) || !is_own_program(program)) return;
  const Scalar scalar = read_scalar(value);
  try {
    if (name == scheduler_option)
      schedulers.parse(scalar.text);
    else if (!is_no_load(scalar))
      parse_load_spec(scalar.text);
  } catch (const Error& error) {
    throw value.error(error.what());
  }
}

void read_settings(Layers& layers, const yaml::Value& place, const SchedulerTable& schedulers,
                   Experiment& experiment) {
  const auto program = layers.find("program");
  if (!program)
    throw place.error(fmt::format("{} has no 'program'", experiment.name), "", "give one here or at the top");
  experiment.program = program->text();
  experiment.program_place = place_of(*program);
  experiment.launch = read_launch(layers, place, experiment.name);
  read_options(layers, schedulers, experiment);
  if (const auto load = layers.find(load_axis)) {
    check_option(*load, load_axis, experiment.program, schedulers);
    experiment.load = read_scalar(*load);
  }
  if (const auto repeat = layers.find("repeat")) experiment.repeat = read_repeat(*repeat);
  if (const auto margin = layers.find("equal-within")) experiment.equal_within = read_margin(*margin);
}

}  // namespace loadshare::sweep
