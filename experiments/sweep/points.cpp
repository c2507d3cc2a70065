#include "experiments/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/random.hpp"

namespace loadshare::sweep {
namespace {

/// Axes that vary together.
using Walk = std::vector<const Axis*>;

std::vector<Walk> walks_of(std::span<const Axis> axes) {
  std::map<int, Walk> by_number;
  for (const Axis& axis : axes) by_number[axis.walk].push_back(&axis);
  std::vector<Walk> walks;
  for (auto& [number, walk] : by_number) walks.push_back(std::move(walk));
  return walks;
}

std::size_t length(const Walk& walk) {
  return walk.front()->values.size();
}

/// Combines each of `begun` with each step of the walk.
std::vector<Parameters> crossed(const std::vector<Parameters>& begun, const Walk& walk) {
  std::vector<Parameters> all;
  for (const Parameters& parameters : begun)
    for (std::size_t step = 0; step < length(walk); ++step) {
      all.push_back(parameters);
      for (const Axis* axis : walk) all.back()[axis->name] = axis->values[step];
    }
  return all;
}

/// Small enough for every reader of JSON.
constexpr std::uint64_t seed_limit = std::uint64_t{1} << 31;

std::optional<Scalar> asked_load(const Experiment& experiment, const Point& point) {
  const auto varied = point.parameters.find(load_axis);
  const auto load = varied != point.parameters.end() ? varied->second : experiment.load;
  return load && is_no_load(*load) ? std::nullopt : load;
}

std::string comparison_key(const Experiment& experiment, const Point& point) {
  if (!experiment.compare) return experiment.name;
  Parameters others = point.parameters;
  others.erase(*experiment.compare);
  return point_id(experiment.name, others);
}

bool wants_seed(const std::string& load) {
  return load.find("phase=random") != std::string::npos && load.find("seed=") == std::string::npos;
}

}  // namespace

std::size_t point_count(std::span<const Axis> axes) {
  std::size_t count = 1;
  for (const Walk& walk : walks_of(axes)) {
    if (length(walk) != 0 && count > std::numeric_limits<std::size_t>::max() / length(walk))
      return std::numeric_limits<std::size_t>::max();
    count *= length(walk);
  }
  return count;
}

std::vector<Point> all_points(const std::string& experiment, std::span<const Axis> axes) {
  std::vector<Parameters> combinations{Parameters{}};
  for (const Walk& walk : walks_of(axes)) combinations = crossed(combinations, walk);
  std::vector<Point> points;
  for (Parameters& parameters : combinations) {
    std::string id = point_id(experiment, parameters);
    points.push_back({std::move(id), std::move(parameters)});
  }
  return points;
}

bool matches(const Point& point, const Parameters& some) {
  return std::ranges::all_of(some, [&](const auto& wanted) {
    const auto found = point.parameters.find(wanted.first);
    return found != point.parameters.end() && found->second == wanted.second;
  });
}

std::string point_id(const std::string& experiment, const Parameters& parameters) {
  std::string id = experiment;
  for (const auto& [axis, value] : parameters) id.append("/").append(axis).append("=").append(value.text);
  return id;
}

bool is_no_load(const Scalar& value) {
  return value.text == "none" || (value.is_flag() && value.text == "false");
}

std::optional<RunLoad> load_of(std::uint64_t sweep_seed, const Experiment& experiment, const Point& point,
                               Index repetition) {
  const auto load = asked_load(experiment, point);
  if (!load) return std::nullopt;
  if (!wants_seed(load->text)) return RunLoad{load->text, std::nullopt};
  const std::string key = fmt::format("{}#{}#{}", sweep_seed, comparison_key(experiment, point), repetition);
  const std::uint64_t seed = hash_of(key) % seed_limit;
  return RunLoad{fmt::format("{},seed={}", load->text, seed), seed};
}

}  // namespace loadshare::sweep
