#include "experiments/sweep/launch_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "experiments/sweep/settings_reader.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::sweep {
namespace {

constexpr Index most_launched = 1'000'000;

struct NamedLaunch {
  std::string_view name;
  LaunchKind kind;
};

constexpr std::array launches{NamedLaunch{"in-process", LaunchKind::in_process},
                              NamedLaunch{"mpirun", LaunchKind::mpirun},
                              NamedLaunch{"srun", LaunchKind::srun}, NamedLaunch{"lab", LaunchKind::lab}};

LaunchKind read_kind(const yaml::Value& value) {
  const std::string text = value.text();
  std::vector<std::string> names;
  for (const NamedLaunch& launch : launches) {
    if (text == launch.name) return launch.kind;
    names.emplace_back(launch.name);
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

}  // namespace

std::string launch_name(LaunchKind kind) {
  for (const NamedLaunch& launch : launches)
    if (launch.kind == kind) return std::string(launch.name);
  return "?";
}

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

}  // namespace loadshare::sweep
