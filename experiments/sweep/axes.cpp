#include "experiments/sweep/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.hpp"
#include "experiments/sweep/points.hpp"

namespace loadshare::sweep {
namespace {

constexpr std::size_t most_points = 100'000;

enum class Order { crossed, together };

void check_value(const yaml::Value& value, const std::string& axis, const SchedulerTable& schedulers,
                 const Experiment& experiment) {
  if (axis == ranks_axis)
    value.integer(1, most_launched);
  else
    check_option(value, axis, experiment.program, schedulers);
}

/// A value may be repeated in a zip, because the other axes of the zip differ.
std::vector<Scalar> read_values(const yaml::Value& list, const std::string& axis, Order order,
                                const SchedulerTable& schedulers, const Experiment& experiment) {
  std::vector<Scalar> values;
  for (const yaml::Value& value : list.list()) {
    check_value(value, axis, schedulers, experiment);
    Scalar scalar = read_scalar(value);
    if (order == Order::crossed && std::ranges::find(values, scalar) != values.end())
      throw value.error(fmt::format("{} has the value '{}' twice", axis, scalar.text), "", "leave one out");
    values.push_back(std::move(scalar));
  }
  if (values.empty())
    throw list.wrong("an axis needs at least one value", "add values, or leave the axis out");
  return values;
}

void require_axis_name(const yaml::Value& value, const std::string& name, const Experiment& experiment) {
  require_option_name(value, name);
  if (name == ranks_axis && experiment.launch.with == LaunchKind::in_process)
    throw value.error("ranks is an axis", "an in-process launch has no ranks", "vary workers instead");
  for (const Axis& axis : experiment.axes)
    if (axis.name == name) throw value.error(fmt::format("the axis '{}' is in both matrix and zip", name));
}

void read_matrix(Layers& layers, const SchedulerTable& schedulers, Experiment& experiment) {
  for (const auto& [name, value] : layers.merged("matrix")) {
    require_axis_name(value, name, experiment);
    experiment.places[name] = place_of(value);
    experiment.axes.push_back({name, read_values(value, name, Order::crossed, schedulers, experiment),
                               static_cast<int>(experiment.axes.size())});
  }
}

void read_zip(Layers& layers, const SchedulerTable& schedulers, Experiment& experiment) {
  const std::size_t first = experiment.axes.size();
  for (const auto& [name, value] : layers.merged("zip")) {
    require_axis_name(value, name, experiment);
    experiment.places[name] = place_of(value);
    experiment.axes.push_back(
        {name, read_values(value, name, Order::together, schedulers, experiment), static_cast<int>(first)});
    const Axis& leader = experiment.axes[first];
    const std::size_t length = experiment.axes.back().values.size();
    if (length != leader.values.size())
      throw value.error(
          fmt::format("{} has {} values and {} has {}", name, length, leader.name, leader.values.size()),
          "the axes of a zip vary together", "give them equally many values");
  }
}

/// Throws UsageError if two points have the same name, because runs are identified by it: a resumed sweep
/// would repeat one of them each time.
void require_different(const yaml::Value& place, const Experiment& experiment) {
  std::set<std::string> ids;
  for (const Point& point : experiment.points)
    if (!ids.insert(point.id).second)
      throw place.error(fmt::format("{} has the point {} twice", experiment.name, point.id),
                        "two steps of its zip have equal values", "leave one out");
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
  throw value.error(fmt::format("'{}' is not a value of {}", scalar.text, axis.name),
                    fmt::format("values: {}", list_names(texts)), did_you_mean(scalar.text, texts));
}

Parameters read_exclusion(const yaml::Value& value, Setting setting, const Experiment& experiment) {
  Parameters some;
  for (const auto& [name, inner] : value.map().all()) {
    const Axis& axis = axis_called(inner, name, experiment);
    some[name] = setting == Setting::full ? value_on(inner, axis) : read_scalar(inner);
  }
  if (some.empty()) throw value.wrong("it would exclude every point", "name the values to leave out");
  return some;
}

void exclude(const yaml::Value& list, Setting setting, Experiment& experiment) {
  for (const yaml::Value& value : list.list()) {
    const Parameters some = read_exclusion(value, setting, experiment);
    const auto gone =
        std::erase_if(experiment.points, [&](const Point& point) { return matches(point, some); });
    if (gone == 0 && setting == Setting::full)
      throw value.error(fmt::format("{} matches no point", value.name()),
                        "an earlier item may have excluded them", "remove it");
  }
  if (experiment.points.empty())
    throw list.error(fmt::format("every point of {} is excluded", experiment.name), "nothing is left to run",
                     "remove an item of `exclude`");
}

void require_alone(const yaml::Value& value, const Axis& compared, const Experiment& experiment) {
  for (const Axis& axis : experiment.axes)
    if (&axis != &compared && axis.walk == compared.walk)
      throw value.error(fmt::format("{} cannot be compared", compared.name),
                        fmt::format("{} changes with it in the zip", axis.name), "move it to the matrix");
}

void read_comparison(Layers& layers, Experiment& experiment) {
  const auto compare = layers.find("compare");
  const auto baseline = layers.find("baseline");
  if (!compare) {
    if (baseline)
      throw baseline->error("there is a baseline but no axis to compare", "", "add compare: AXIS");
    return;
  }
  const Axis& axis = axis_called(*compare, compare->text(), experiment);
  require_alone(*compare, axis, experiment);
  experiment.compare = axis.name;
  experiment.baseline = baseline ? value_on(*baseline, axis) : axis.values.front();
}

}  // namespace

void read_axes(Layers& layers, const yaml::Value& place, Setting setting, const SchedulerTable& schedulers,
               Experiment& experiment) {
  read_matrix(layers, schedulers, experiment);
  read_zip(layers, schedulers, experiment);
  if (point_count(experiment.axes) > most_points)
    throw place.error(fmt::format("{} has too many points", experiment.name),
                      fmt::format("at most {}", most_points));
  experiment.points = all_points(experiment.name, experiment.axes);
  require_different(layers.find("zip").value_or(place), experiment);
  if (const auto list = layers.find("exclude")) exclude(*list, setting, experiment);
  read_comparison(layers, experiment);
}

}  // namespace loadshare::sweep
