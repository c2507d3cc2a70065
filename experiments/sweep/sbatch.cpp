#include "experiments/sweep/sbatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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
  return value.text.find_first_not_of("0123456789") == std::string::npos ? std::stoll(value.text) : fallback;
}

/// The largest value of an axis that counts, or `fallback` where there is no such axis.
Index largest(const Experiment& experiment, const char* axis_name, Index fallback) {
  Index most = fallback;
  for (const Point& point : experiment.points)
    if (const auto value = point.parameters.find(axis_name); value != point.parameters.end())
      most = std::max(most, number(value->second, fallback));
  return most;
}

Size size_of(const Experiment& experiment) {
  const Launch& launch = experiment.launch;
  if (launch.with == LaunchKind::in_process)
    return {1, largest(experiment, "workers", launch.workers.value_or(1))};
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

}  // namespace

std::string batch_script(const SweepSpec& spec, const BatchJob& job) {
  const Size size = size_of(spec);
  const std::string name = std::filesystem::path(job.file).stem().string();
  std::string script = "#!/bin/bash\n";
  script += fmt::format("# {}\n", spec.title);
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
