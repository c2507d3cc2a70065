#include "experiments/sweep/sweep_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/names.hpp"
#include "experiments/sweep/command.hpp"
#include "experiments/sweep/plan.hpp"
#include "experiments/sweep/points.hpp"
#include "models/farm/auto_scheduler.hpp"
#include "runtime/load/load_spec.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {
namespace {

constexpr const char* scheduler_option = "scheduler";
constexpr Index most_repeats = 1'000'000;

/// A scalar of a file as an option's value; throws UsageError where it is no scalar or empty.
Scalar read_scalar(const yaml::Value& value) {
  return {value.text(), value.is_boolean() ? Scalar::Form::flag : Scalar::Form::text, value.is_quoted()};
}

/// `file:line:column: ` of a value, to put in front of an error that is found later.
std::string place_of(const yaml::Value& value) {
  return fmt::format("{}:{}:{}: ", value.file(), value.position().line, value.position().column);
}

/// Throws UsageError where `name` cannot be an option, or is one that the sweep sets itself.
void require_option_name(const yaml::Value& value, const std::string& name) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (name.starts_with('-'))
    throw value.error(fmt::format("an option is named '{}'", name), "the dashes are added",
                      "leave out the dashes in front");
  if (!std::ranges::all_of(name, is_plain))
    throw value.error(fmt::format("an option is named '{}'", name),
                      "names have small letters, digits and - only");
  if (name == "json" || name == "progress")
    throw value.error(fmt::format("{} is among the options", name), "the sweep sets it itself",
                      "leave it out");
}

/// Throws UsageError where the value of this option can be known to be wrong for `program`.
void check_option(const yaml::Value& value, const std::string& name, const std::string& program) {
  if ((name != scheduler_option && name != load_axis) || !is_own_program(program)) return;
  const Scalar scalar = read_scalar(value);
  try {
    if (name == scheduler_option)
      predictor::farm_schedulers().parse(scalar.text);
    else if (!is_no_load(scalar))
      parse_load_spec(scalar.text);
  } catch (const Error& error) {
    throw value.error(error.what());
  }
}

Repeat read_rule(yaml::Map map) {
  Repeat repeat;
  if (const auto times = map.find("times")) {
    repeat.at_least = repeat.at_most = times->whole(1, most_repeats);
    map.finish();
    return repeat;
  }
  repeat.at_least = map.at("at-least").whole(1, most_repeats);
  const yaml::Value at_most = map.at("at-most");
  repeat.at_most = at_most.whole(repeat.at_least, most_repeats);
  repeat.within = map.at("within").percentage();
  map.finish();
  if (repeat.at_most < least_samples_of_interval)
    throw at_most.error(
        fmt::format("at-most is {}", repeat.at_most),
        fmt::format("fewer than {} runs have no 95 % interval of the median", least_samples_of_interval),
        fmt::format("allow {} runs or more, or say how many in `repeat:`", least_samples_of_interval));
  repeat.at_least = std::max(repeat.at_least, least_samples_of_interval);
  return repeat;
}

Repeat read_repeat(const yaml::Value& value) {
  if (value.is_map()) return read_rule(value.map());
  const Index times = value.whole(1, most_repeats);
  return {times, times, 0};
}

void read_options(Layers& layers, Experiment& experiment) {
  for (const auto& [name, value] : layers.merged("options")) {
    require_option_name(value, name);
    if (name == load_axis)
      throw value.error("load is among the options", "the sweep adds the seed of its phases",
                        "make it a key of its own beside options");
    check_option(value, name, experiment.program);
    experiment.options.emplace_back(name, read_scalar(value));
    experiment.places[name] = place_of(value);
  }
}

constexpr Index most_launched = 1'000'000;

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

/// A path in a file is meant from where the file is.
std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();
}

void read_key(const std::string& key, const yaml::Value& value, Launch& launch) {
  static const std::vector<std::string> keys{"with", "lab", "ranks", "workers", "arguments", "timeout"};
  if (key == "with")
    launch.with = read_kind(value);
  else if (key == "lab") {
    launch.lab_file = beside(value.file(), value.text());
    launch.lab_place = place_of(value);
  } else if (key == "ranks") {
    launch.ranks = value.whole(1, most_launched);
    launch.ranks_place = place_of(value);
  } else if (key == "workers")
    launch.workers = value.whole(1, most_launched);
  else if (key == "timeout")
    launch.timeout_s = value.duration_s();
  else if (key == "arguments") {
    launch.arguments.clear();
    for (const yaml::Value& word : value.list()) launch.arguments.push_back(word.text());
  } else
    throw value.error(fmt::format("unknown key '{}' in launch", key),
                      fmt::format("valid: {}", list_names(keys)), did_you_mean(key, keys));
  if (key == "timeout" && launch.timeout_s <= 0) throw value.wrong("a run needs some time");
}

/// Keys that say nothing of this kind of launch; what lies below the topmost map may be meant for another.
void require_fitting(const yaml::Value& topmost, LaunchKind kind) {
  const bool is_in_process = kind == LaunchKind::in_process;
  std::vector<std::string> fitting{"with", "timeout"};
  if (is_in_process) fitting.emplace_back("workers");
  if (!is_in_process) fitting.insert(fitting.end(), {"ranks", "arguments"});
  if (kind == LaunchKind::lab) fitting.emplace_back("lab");
  for (const auto& [key, value] : topmost.map().all())
    if (std::ranges::find(fitting, key) == fitting.end())
      throw value.error(fmt::format("{} is in a launch with {}", key, launch_name(kind)),
                        fmt::format("that has {}", list_names(fitting)), "leave it out");
}

/// Reads the merged `launch:` of an experiment; what is missing is reported at `place`.
Launch read_launch(Layers& layers, const yaml::Value& place, const std::string& experiment) {
  Launch launch;
  for (const auto& [key, value] : layers.merged("launch")) read_key(key, value, launch);
  const auto topmost = layers.find("launch");
  if (topmost) require_fitting(*topmost, launch.with);
  const yaml::Value at = topmost.value_or(place);
  const bool counts_ranks = launch.with == LaunchKind::mpirun || launch.with == LaunchKind::srun;
  if (counts_ranks && !launch.ranks)
    throw at.error(fmt::format("launch of {} has no 'ranks'", experiment),
                   fmt::format("{} has to know how many", launch_name(launch.with)));
  if (launch.with == LaunchKind::lab && launch.lab_file.empty())
    throw at.error(fmt::format("launch of {} has no 'lab'", experiment), "",
                   "name the lab's file: lab: now.yaml");
  return launch;
}

/// Reads program, launch, options, load and repeat into `experiment`; what is missing is reported at `place`.
void read_settings(Layers& layers, const yaml::Value& place, Experiment& experiment) {
  const auto program = layers.find("program");
  if (!program)
    throw place.error(fmt::format("{} has no 'program'", experiment.name), "", "give one here or at the top");
  experiment.program = program->text();
  experiment.program_place = place_of(*program);
  experiment.launch = read_launch(layers, place, experiment.name);
  read_options(layers, experiment);
  if (const auto load = layers.find(load_axis)) {
    check_option(*load, load_axis, experiment.program);
    experiment.load = read_scalar(*load);
  }
  if (const auto repeat = layers.find("repeat")) experiment.repeat = read_repeat(*repeat);
}

constexpr std::size_t most_points = 100'000;

enum class Order { crossed, hand_in_hand };

void check_value(const yaml::Value& value, const std::string& axis, const Experiment& experiment) {
  if (axis == ranks_axis)
    value.whole(1, most_launched);
  else
    check_option(value, axis, experiment.program);
}

/// In a zip a value may come again: it stands beside another one each time.
std::vector<Scalar> read_values(const yaml::Value& list, const std::string& axis, Order order,
                                const Experiment& experiment) {
  std::vector<Scalar> values;
  for (const yaml::Value& value : list.list()) {
    check_value(value, axis, experiment);
    Scalar scalar = read_scalar(value);
    if (order == Order::crossed && std::ranges::find(values, scalar) != values.end())
      throw value.error(fmt::format("{} has '{}' twice", axis, scalar.text), "", "leave one out");
    values.push_back(std::move(scalar));
  }
  if (values.empty()) throw list.wrong("it has no values to go through", "leave the axis out");
  return values;
}

void require_axis_name(const yaml::Value& value, const std::string& name, const Experiment& experiment) {
  require_option_name(value, name);
  if (name == ranks_axis && experiment.launch.with == LaunchKind::in_process)
    throw value.error("ranks is an axis", "in-process has no ranks", "vary workers instead");
  for (const Axis& axis : experiment.axes)
    if (axis.name == name) throw value.error(fmt::format("the axis '{}' is in matrix and in zip", name));
}

void read_matrix(Layers& layers, Experiment& experiment) {
  for (const auto& [name, value] : layers.merged("matrix")) {
    require_axis_name(value, name, experiment);
    experiment.places[name] = place_of(value);
    experiment.axes.push_back({name, read_values(value, name, Order::crossed, experiment),
                               static_cast<int>(experiment.axes.size())});
  }
}

void read_zip(Layers& layers, Experiment& experiment) {
  const std::size_t first = experiment.axes.size();
  for (const auto& [name, value] : layers.merged("zip")) {
    require_axis_name(value, name, experiment);
    experiment.places[name] = place_of(value);
    experiment.axes.push_back(
        {name, read_values(value, name, Order::hand_in_hand, experiment), static_cast<int>(first)});
    const Axis& leader = experiment.axes[first];
    const std::size_t length = experiment.axes.back().values.size();
    if (length != leader.values.size())
      throw value.error(
          fmt::format("{} has {} values and {} has {}", name, length, leader.name, leader.values.size()),
          "the axes of a zip are walked together", "give them lists of one length");
  }
}

/// Runs are told apart by their point's name: of two alike, a resumed sweep would make one again each time.
void require_different(const yaml::Value& place, const Experiment& experiment) {
  std::set<std::string> ids;
  for (const Point& point : experiment.points)
    if (!ids.insert(point.id).second)
      throw place.error(fmt::format("{} has the point {} twice", experiment.name, point.id),
                        "two steps of its zip are alike", "leave one out");
}

std::vector<std::string> axis_names(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const Axis& axis : experiment.axes) names.push_back(axis.name);
  return names;
}

const Axis& axis_called(const yaml::Value& value, const std::string& name, const Experiment& experiment) {
  for (const Axis& axis : experiment.axes)
    if (axis.name == name) return axis;
  const auto names = axis_names(experiment);
  throw value.error(fmt::format("there is no axis '{}'", name),
                    names.empty() ? "this experiment has none" : fmt::format("axes: {}", list_names(names)),
                    did_you_mean(name, names));
}

Scalar value_on(const yaml::Value& value, const Axis& axis) {
  const Scalar scalar = read_scalar(value);
  if (std::ranges::find(axis.values, scalar) != axis.values.end()) return scalar;
  std::vector<std::string> texts;
  for (const Scalar& known : axis.values) texts.push_back(known.text);
  throw value.error(fmt::format("'{}' is no value of {}", scalar.text, axis.name),
                    fmt::format("values: {}", list_names(texts)), did_you_mean(scalar.text, texts));
}

Parameters read_exclusion(const yaml::Value& value, Setting setting, const Experiment& experiment) {
  Parameters some;
  for (const auto& [name, inner] : value.map().all()) {
    const Axis& axis = axis_called(inner, name, experiment);
    some[name] = setting == Setting::full ? value_on(inner, axis) : read_scalar(inner);
  }
  if (some.empty()) throw value.wrong("it would exclude everything", "name the values to leave out");
  return some;
}

void exclude(const yaml::Value& list, Setting setting, Experiment& experiment) {
  for (const yaml::Value& value : list.list()) {
    const Parameters some = read_exclusion(value, setting, experiment);
    const auto gone =
        std::erase_if(experiment.points, [&](const Point& point) { return matches(point, some); });
    if (gone == 0 && setting == Setting::full)
      throw value.error(fmt::format("{} matches no point", value.name()),
                        "an earlier one may match them already", "leave it out");
  }
  if (experiment.points.empty())
    throw list.error(fmt::format("every point of {} is excluded", experiment.name),
                     "there is nothing to run");
}

void require_alone(const yaml::Value& value, const Axis& compared, const Experiment& experiment) {
  for (const Axis& axis : experiment.axes)
    if (&axis != &compared && axis.walk == compared.walk)
      throw value.error(fmt::format("{} cannot be compared", compared.name),
                        fmt::format("{} changes with it in the zip", axis.name), "put it into the matrix");
}

void read_comparison(Layers& layers, Experiment& experiment) {
  const auto compare = layers.find("compare");
  const auto baseline = layers.find("baseline");
  if (!compare) {
    if (baseline) throw baseline->error("a baseline without an axis to compare", "", "add compare: AXIS");
    return;
  }
  const Axis& axis = axis_called(*compare, compare->text(), experiment);
  require_alone(*compare, axis, experiment);
  experiment.compare = axis.name;
  experiment.baseline = baseline ? value_on(*baseline, axis) : axis.values.front();
}

/// Reads matrix, zip, exclude, compare and baseline into `experiment`, whose settings are read, and makes its
/// points. In a reduced setting an exclude may match nothing: the axes may have been cut short.
void read_axes(Layers& layers, const yaml::Value& place, Setting setting, Experiment& experiment) {
  read_matrix(layers, experiment);
  read_zip(layers, experiment);
  if (point_count(experiment.axes) > most_points)
    throw place.error(fmt::format("{} has too many points", experiment.name),
                      fmt::format("at most {}", most_points));
  experiment.points = all_points(experiment.name, experiment.axes);
  require_different(layers.find("zip").value_or(place), experiment);
  if (const auto list = layers.find("exclude")) exclude(*list, setting, experiment);
  read_comparison(layers, experiment);
}

constexpr Index file_schema = 1;

const std::array<std::string, 10> file_keys{"schema",  "title", "seed",   "program", "launch",
                                            "options", "load",  "repeat", "reduced", "experiments"};
const std::array<std::string, 13> experiment_keys{"name",    "title",   "program", "launch", "options",
                                                  "load",    "repeat",  "reduced", "matrix", "zip",
                                                  "exclude", "compare", "baseline"};
const std::array<std::string, 5> reduced_file_keys{"program", "launch", "options", "load", "repeat"};
const std::array<std::string, 10> reduced_keys{"program", "launch", "options", "load",    "repeat",
                                               "matrix",  "zip",    "exclude", "compare", "baseline"};

void require_schema(yaml::Map& file) {
  const yaml::Value schema = file.at("schema");
  const Index number = schema.whole();
  if (number != file_schema)
    throw schema.error(fmt::format("schema is {}", number), "this program reads schema 1");
}

/// The `reduced:` map of a map, its keys checked.
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
    throw value.wrong("names have letters, digits, and the characters - _ . only");
  if (std::ranges::find(others, name, &Experiment::name) != others.end())
    throw value.wrong("another experiment has this name", "give each its own");
  return name;
}

Experiment read_experiment(yaml::Map file, yaml::Map map, Setting setting,
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
  read_settings(settings, place, experiment);
  read_axes(axes, place, setting, experiment);
  return experiment;
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

SweepSpec read_sweep(const yaml::Value& value, Setting setting) {
  yaml::Map file = value.map();
  require_schema(file);
  file.require_known(file_keys);
  SweepSpec spec;
  spec.source = value.file();
  spec.setting = setting;
  spec.title = file.at("title").text();
  if (const auto seed = file.find("seed")) spec.seed = static_cast<std::uint64_t>(seed->whole());
  const yaml::Value list = file.at("experiments");
  for (const yaml::Value& experiment : list.list())
    spec.experiments.push_back(read_experiment(file, experiment.map(), setting, spec.experiments));
  if (spec.experiments.empty()) throw list.wrong("there is nothing to run", "list at least one experiment");
  return spec;
}

}  // namespace loadshare::sweep
