#include "experiments/sweep/listing.hpp"

#include <fmt/format.h>

#include "experiments/sweep/load.hpp"
#include "runtime/timing/wording.hpp"

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

}  // namespace

std::string plan_text(const Plan& plan) {
  return fmt::format("{}{} of {}", plan.may_end_early() ? "at most " : "",
                     count_text(plan.left(), "run", "runs"),
                     count_text(static_cast<Index>(plan.points()), "point", "points"));
}

std::string option_text(Setting setting, const std::vector<std::string>& only) {
  std::string text = setting == Setting::reduced ? " --reduced" : "";
  for (const std::string& name : only) text += " --only " + name;
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
    print(shell_line(command_of(*run->experiment, *run->point, load, starters.at(run->experiment->name))) +
          "\n");
  }
}

}  // namespace loadshare::sweep
