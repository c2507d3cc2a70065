#include "experiments/sweep/settings_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/sweep/launch_reader.hpp"
#include "experiments/sweep/load.hpp"
#include "experiments/sweep/programs.hpp"
#include "experiments/sweep/stop_rule.hpp"
#include "models/predictor/auto_entry.hpp"
#include "runtime/load/load_spec.hpp"
#include "schedulers/nearest.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {
namespace {

constexpr const char* scheduler_option = "scheduler";
constexpr Index most_repeats = 1'000'000;

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

}  // namespace

Scalar read_scalar(const yaml::Value& value) {
  return {value.text(), value.is_boolean() ? Scalar::Form::flag : Scalar::Form::text, value.is_quoted()};
}

std::string place_of(const yaml::Value& value) {
  return fmt::format("{}:{}:{}: ", value.file(), value.position().line, value.position().column);
}

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

}  // namespace loadshare::sweep
