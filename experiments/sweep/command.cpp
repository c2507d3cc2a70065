#include "experiments/sweep/command.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadshare::sweep {
namespace {

constexpr const char* workers_option = "workers";

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::optional<Index> ranks_of(const Experiment& experiment, const Point& point) {
  const auto varied = point.parameters.find(ranks_axis);
  return varied == point.parameters.end() ? experiment.launch.ranks : std::stoll(varied->second.text);
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

bool gives_workers(const Experiment& experiment, const Point& point) {
  return point.parameters.contains(workers_option) ||
         std::ranges::any_of(experiment.options,
                             [](const auto& option) { return option.first == workers_option; });
}

bool is_plain(const std::string& word) {
  constexpr std::string_view harmless = "-_./,:=+@%";
  return !word.empty() && std::ranges::all_of(word, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           harmless.find(c) != std::string_view::npos;
  });
}

std::string quoted(const std::string& word) {
  if (is_plain(word)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
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
  return words;
}

std::string shell_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) line.append(line.empty() ? "" : " ").append(quoted(word));
  return line;
}

}  // namespace loadshare::sweep
