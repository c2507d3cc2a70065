#include "experiments/sweep/sbatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "experiments/sweep/command.hpp"
#include "schedulers/error.hpp"

namespace loadshare::sweep {
namespace {

/// Tasks of one run, and processors of one task.
struct Size {
  Index tasks = 1;
  Index processors = 1;
};

Index number(const Scalar& value, Index fallback) {
  Index count = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, failure] = std::from_chars(value.text.data(), end, count);
  return failure == std::errc{} && stop == end ? count : fallback;
}

/// The largest value of an axis that counts, or `fallback` where there is no such axis.
Index largest(const Experiment& experiment, const char* axis_name, Index fallback) {
  Index most = fallback;
  for (const Point& point : experiment.points)
    if (const auto value = point.parameters.find(axis_name); value != point.parameters.end())
      most = std::max(most, number(value->second, fallback));
  return most;
}

/// The workers of runs that do not vary them: the option goes before what the launch says.
Index fixed_workers(const Experiment& experiment) {
  const Index launched = experiment.launch.workers.value_or(1);
  for (const auto& [name, value] : experiment.options)
    if (name == "workers") return number(value, launched);
  return launched;
}

Size size_of(const Experiment& experiment) {
  const Launch& launch = experiment.launch;
  if (launch.with == LaunchKind::in_process)
    return {1, largest(experiment, "workers", fixed_workers(experiment))};
  return {largest(experiment, ranks_axis, launch.ranks.value_or(1)), 1};
}

Size size_of(const SweepSpec& spec) {
  Size most;
  for (const Experiment& experiment : spec.experiments) {
    if (experiment.launch.with == LaunchKind::lab)
      throw UsageError(fmt::format("experiment {} runs in a lab", experiment.name),
                       "a lab is one machine of your own, not a cluster", "launch it with srun or mpirun");
    const Size size = size_of(experiment);
    most = {std::max(most.tasks, size.tasks), std::max(most.processors, size.processors)};
  }
  return most;
}

/// A comment ends with its line: what stands behind that in a title would be run.
std::string in_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

std::string batch_script(const SweepSpec& spec, const BatchJob& job) {
  const Size size = size_of(spec);
  const std::string name = std::filesystem::path(job.file).stem().string();
  std::string script = "#!/bin/bash\n";
  script += fmt::format("# {}\n", in_one_line(spec.title));
  script +=
      "# Submit with: sbatch THIS [--time=4:00:00] [--partition=...]. Again after its time was up: it goes "
      "on.\n";
  script += fmt::format("#SBATCH --job-name={}\n", shell_line({name}));
  script += fmt::format("#SBATCH --ntasks={}\n", size.tasks);
  script += fmt::format("#SBATCH --cpus-per-task={}\n", size.processors);
  script += fmt::format("#SBATCH --output={}\n", shell_line({name + "-%j.out"}));
  script +=
      "# Other people's programs on the nodes would be a load that no record shows.\n#SBATCH --exclusive\n";
  script +=
      "# A minute before the end the sweep is told to stop; what ran so far is kept.\n#SBATCH "
      "--signal=B:INT@60\n";
  script += "set -eu\n";
  script += fmt::format("exec {} --out {} --resume --progress lines{}\n",
                        shell_line({job.tool, "sweep", job.file}), shell_line({job.folder}), job.more);
  return script;
}

}  // namespace loadshare::sweep
