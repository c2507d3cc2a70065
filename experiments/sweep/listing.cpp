#include "experiments/sweep/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "experiments/sweep/points.hpp"

namespace loadshare::sweep {
namespace {

std::string rule_text(const Repeat& repeat) {
  if (repeat.is_fixed()) return fmt::format("{} each", count_text(repeat.at_least, "run", "runs"));
  return fmt::format("{} to {} runs each, until the 95 % interval of the median is within {:g} % of it",
                     repeat.at_least, repeat.at_most, repeat.within * 100);
}

std::string experiment_text(const Experiment& experiment) {
  return fmt::format("# {}: {}; {}, {}\n", experiment.name, experiment.title,
                     count_text(static_cast<Index>(experiment.points.size()), "point", "points"),
                     rule_text(experiment.repeat));
}

/// Tasks of one run, and processors of one task.
struct Size {
  Index tasks = 1;
  Index processors = 1;
};

/// Returns the largest value of a numeric axis, or `fallback` if there is no such axis.
Index largest(const Experiment& experiment, const char* axis_name, Index fallback) {
  Index most = fallback;
  for (const Point& point : experiment.points)
    if (const auto value = point.parameters.find(axis_name); value != point.parameters.end())
      most = std::max(most, parse_integer(value->second.text).value_or(fallback));
  return most;
}

/// Returns the workers of runs that do not vary them; the option takes precedence over the launch.
Index fixed_workers(const Experiment& experiment) {
  const Index launched = experiment.launch.workers.value_or(1);
  for (const auto& [name, value] : experiment.options)
    if (name == "workers") return parse_integer(value.text).value_or(launched);
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
                       "a lab is made on one machine, not on a cluster", "launch it with srun or mpirun");
    const Size size = size_of(experiment);
    most = {std::max(most.tasks, size.tasks), std::max(most.processors, size.processors)};
  }
  return most;
}

/// Replaces line ends in a title, because a shell would run what follows the comment's first line.
std::string in_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

std::string plan_text(const Plan& plan) {
  return fmt::format("{}{} of {}", plan.may_end_early() ? "at most " : "",
                     count_text(plan.left(), "run", "runs"),
                     count_text(static_cast<Index>(plan.points()), "point", "points"));
}

std::string option_text(Setting setting, const std::vector<std::string>& only) {
  std::string text = setting == Setting::reduced ? " --reduced" : "";
  for (const std::string& name : only) text += " --only " + shell_word(name);
  return text;
}

void print_listing(const SweepSpec& spec, Plan& plan, const std::map<std::string, Starter>& starters,
                   const std::function<void(std::string_view)>& print) {
  print(fmt::format("# {}: {}\n", spec.title, plan_text(plan)));
  for (const Experiment& experiment : spec.experiments)
    if (starters.contains(experiment.name)) print(experiment_text(experiment));
  Index repetition = -1;
  while (const auto run = plan.next()) {
    if (run->repetition != repetition) print(fmt::format("# repetition {}\n", repetition = run->repetition));
    const auto load = load_of(spec.seed, *run->experiment, *run->point, run->repetition);
    print(command_text(command_of(*run->experiment, *run->point, load, starters.at(run->experiment->name))) +
          "\n");
  }
}

std::string batch_script(const SweepSpec& spec, const BatchJob& job) {
  const Size size = size_of(spec);
  const std::string name = std::filesystem::path(job.file).stem().string();
  std::string script = "#!/bin/bash\n";
  script += fmt::format("# {}\n", in_one_line(spec.title));
  script +=
      "# Submit with: sbatch THIS [--time=4:00:00] [--partition=...]. Submit it again after its time limit: "
      "it resumes.\n";
  script += fmt::format("#SBATCH --job-name={}\n", command_text({name}));
  script += fmt::format("#SBATCH --ntasks={}\n", size.tasks);
  script += fmt::format("#SBATCH --cpus-per-task={}\n", size.processors);
  script += fmt::format("#SBATCH --output={}\n", command_text({name + "-%j.out"}));
  script +=
      "# Programs of other users on the nodes would be a load that no record shows.\n#SBATCH --exclusive\n";
  script +=
      "# Slurm interrupts the sweep a minute before its time limit; finished runs are kept.\n#SBATCH "
      "--signal=B:INT@60\n";
  script += "set -eu\n";
  script += fmt::format("exec {} --out {} --resume --progress lines{}\n",
                        command_text({job.tool, "sweep"}) + " " + file_word(job.file), file_word(job.folder),
                        job.more);
  return script;
}

}  // namespace loadshare::sweep
