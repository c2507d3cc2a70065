#include "experiments/sweep/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/quantities.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {
namespace {

namespace fs = std::filesystem;

constexpr const char* workers_option = "workers";

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

Words launcher(const Experiment& experiment, const Point& point, const Starter& starter) {
  const auto ranks = ranks_of(experiment, point);
  const Words count =
      ranks ? Words{experiment.launch.with == LaunchKind::srun ? "-n" : "-np", fmt::format("{}", *ranks)}
            : Words{};
  Words words;
  if (experiment.launch.with == LaunchKind::lab)
    words = {starter.tool, "lab", "run", "--name", starter.lab, "--"};
  if (experiment.launch.with == LaunchKind::srun)
    append(words, {"srun", "--mpi=pmix"});
  else
    append(words, {"mpirun", "-q"});
  append(words, count);
  append(words, experiment.launch.arguments);
  return words;
}

void append_option(Words& words, const std::string& name, const Scalar& value) {
  if (value.is_flag() && value.text == "false") return;
  words.push_back("--" + name);
  if (!value.is_flag()) words.push_back(value.text);
}

void append_options(Words& words, const Experiment& experiment, const Point& point) {
  for (const auto& [name, value] : experiment.options)
    if (!point.parameters.contains(name)) append_option(words, name, value);
  for (const Axis& axis : experiment.axes)
    if (axis.name != load_axis && axis.name != ranks_axis)
      append_option(words, axis.name, point.parameters.at(axis.name));
}

bool has_option(const Experiment& experiment, const Point& point, const char* name) {
  return point.parameters.contains(name) ||
         std::ranges::any_of(experiment.options, [name](const auto& option) { return option.first == name; });
}

bool gives_workers(const Experiment& experiment, const Point& point) {
  return has_option(experiment, point, workers_option);
}

/// Whether runs of this scheduler start from the cached results of earlier runs: `auto`, and techniques that
/// have no defaults.
bool uses_the_cache(std::string_view spec) {
  static const SchedulerTable techniques = built_in_schedulers();
  const std::string_view name = spec.substr(0, spec.find(':'));
  return name == "auto" || std::ranges::any_of(techniques.entries(), [name](const SchedulerEntry& entry) {
           return entry.name == name && !entry.example.empty();
         });
}

/// Whether the run needs `--auto-from none`: every run is to be the first of its loop, so that all are alike.
bool needs_empty_cache(const Words& words, const Experiment& experiment, const Point& point) {
  const auto scheduler = std::ranges::find(words, "--scheduler");
  return scheduler != words.end() && std::next(scheduler) != words.end() &&
         uses_the_cache(*std::next(scheduler)) && !has_option(experiment, point, "auto-from");
}

constexpr std::array<std::string_view, 8> own_programs{"matmul", "matvec",      "mandelbrot", "synthetic",
                                                       "cannon", "bucket_sort", "floyd",      "integer_sort"};
constexpr const char* option_characters = "abcdefghijklmnopqrstuvwxyz0123456789-";

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Words command_of(const Experiment& experiment, const Point& point, const std::optional<RunLoad>& load,
                 const Starter& starter) {
  const bool is_in_process = experiment.launch.with == LaunchKind::in_process;
  Words words;
  if (!is_in_process) words = launcher(experiment, point, starter);
  words.push_back(starter.program);
  append_options(words, experiment, point);
  if (is_in_process && experiment.launch.workers && !gives_workers(experiment, point))
    append(words, {"--workers", fmt::format("{}", *experiment.launch.workers)});
  if (load) append(words, {"--load", load->text});
  if (needs_empty_cache(words, experiment, point)) append(words, {"--auto-from", "none"});
  return words;
}

std::optional<Index> ranks_of(const Experiment& experiment, const Point& point) {
  if (experiment.launch.with == LaunchKind::in_process) return std::nullopt;
  const auto varied = point.parameters.find(ranks_axis);
  return varied == point.parameters.end() ? experiment.launch.ranks : parse_integer(varied->second.text);
}

bool is_own_program(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  return std::ranges::find(own_programs, name) != own_programs.end();
}

std::vector<std::string> listed_options(const std::string& path) {
  // The sweep itself may be a rank of an MPI run. The launcher's variables would make the program one of its
  // ranks.
  const std::string help =
      run_to_end({"env", "-u", "OMPI_COMM_WORLD_RANK", "-u", "PMIX_RANK", "-u", "PMI_RANK", path, "--help"})
          .printed;
  std::vector<std::string> names;
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at)) {
    at += 2;
    const std::size_t end = std::min(help.find_first_not_of(option_characters, at), help.size());
    if (end > at) names.push_back(help.substr(at, end - at));
    at = end;
  }
  return names;
}

std::optional<std::string> find_program(const std::string& name, const std::string& folder) {
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::absolute(fs::path(folder) / name).lexically_normal();
    return is_program(path) ? std::optional(path.string()) : std::nullopt;
  }
  const fs::path neighbour = fs::path(own_path()).parent_path() / name;
  if (is_program(neighbour)) return neighbour.string();
  const std::string in_path = find_in_path(name);
  return in_path.empty() ? std::nullopt : std::optional(in_path);
}

}  // namespace loadshare::sweep
