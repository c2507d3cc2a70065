#include "experiments/sweep/load.hpp"

#include <fmt/format.h>

#include "experiments/sweep/points.hpp"
#include "experiments/sweep/random.hpp"

namespace loadshare::sweep {
namespace {

/// Small enough for every reader of JSON.
constexpr std::uint64_t seed_limit = std::uint64_t{1} << 31;

std::optional<Scalar> asked_load(const Experiment& experiment, const Point& point) {
  const auto varied = point.parameters.find(load_axis);
  const auto load = varied != point.parameters.end() ? varied->second : experiment.load;
  return load && is_no_load(*load) ? std::nullopt : load;
}

std::string held_equal(const Experiment& experiment, const Point& point) {
  if (!experiment.compare) return experiment.name;
  Parameters others = point.parameters;
  others.erase(*experiment.compare);
  return point_id(experiment.name, others);
}

bool wants_seed(const std::string& load) {
  return load.find("phase=random") != std::string::npos && load.find("seed=") == std::string::npos;
}

}  // namespace

bool is_no_load(const Scalar& value) {
  return value.text == "none" || (value.is_flag() && value.text == "false");
}

std::optional<RunLoad> load_of(std::uint64_t sweep_seed, const Experiment& experiment, const Point& point,
                               Index repetition) {
  const auto load = asked_load(experiment, point);
  if (!load) return std::nullopt;
  if (!wants_seed(load->text)) return RunLoad{load->text, std::nullopt};
  const std::string key = fmt::format("{}#{}#{}", sweep_seed, held_equal(experiment, point), repetition);
  const std::uint64_t seed = hash_of(key) % seed_limit;
  return RunLoad{fmt::format("{},seed={}", load->text, seed), seed};
}

}  // namespace loadshare::sweep
