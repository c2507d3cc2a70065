#include "experiments/sweep/labs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "experiments/lab/entry.hpp"
#include "experiments/lab/lab_file.hpp"
#include "experiments/lab/store.hpp"
#include "experiments/sweep/process.hpp"
#include "experiments/yaml/document.hpp"
#include "runtime/records/progress.hpp"

namespace loadshare::sweep {
namespace {

constexpr double longest_s = 60;

/// Starting and stopping a lab is not interrupted halfway; an interrupt takes effect afterwards.
const std::atomic<bool> never_interrupted = false;

Outcome run_tool(const Words& words) {
  return ProcessExecutor(never_interrupted).run(words, longest_s);
}

struct Ranks {
  Index number;
  std::string place;  ///< where the sweep file says so
};

/// Returns the most ranks of any run; nothing if each run takes one rank per host.
std::optional<Ranks> ranks_needed(const Experiment& experiment) {
  if (!experiment.places.contains(ranks_axis)) {
    if (!experiment.launch.ranks) return std::nullopt;
    return Ranks{*experiment.launch.ranks, experiment.launch.ranks_place};
  }
  Ranks most{0, experiment.places.at(ranks_axis)};
  for (const Point& point : experiment.points)
    most.number = std::max(most.number, parse_integer(point.parameters.at(ranks_axis).text).value());
  return most;
}

/// Checked in advance, because mpirun would refuse every run without naming the lab.
void require_places(const Experiment& experiment, const lab::LabPlan& plan) {
  const auto ranks = ranks_needed(experiment);
  const auto hosts = static_cast<Index>(plan.hosts.size());
  if (!ranks || ranks->number <= hosts || lab::allows_more_ranks(experiment.launch.arguments)) return;
  throw UsageError(fmt::format("{}{} asks for {}", ranks->place, experiment.name,
                               count_text(ranks->number, "rank", "ranks")),
                   fmt::format("the lab {} has {}, with room for one rank each", plan.name,
                               count_text(hosts, "host", "hosts")),
                   "use fewer ranks, or add --oversubscribe to `arguments` of the launch");
}

std::string lab_name(const std::string& lab_file) {
  return lab::read_lab(yaml::load(lab_file)).name;
}

/// Removes the tool's name from the start of its error text, which becomes part of an error of this program.
std::string without_name(std::string error) {
  constexpr std::string_view name = "loadshare: ";
  if (error.starts_with(name)) error.erase(0, name.size());
  return error;
}

bool is_for(const std::string& name, const std::string& user) {
  const auto state = lab::load_state(name);
  return state && std::ranges::find(state->users, user) != state->users.end();
}

/// Reports that a lab stays up, with the reason if memory is left for it. Only within a `catch` block.
void report_that_it_stays(const std::string& name) noexcept {
  try {
    write_note(fmt::format("loadshare: cannot stop the lab {} ({})\n", name, current_what()));
  } catch (...) {
    write_note("loadshare: cannot stop a lab of this sweep\n");
  }
}

}  // namespace

std::string lab_of(const Experiment& experiment) {
  const Launch& launch = experiment.launch;
  if (!std::filesystem::exists(launch.lab_file))
    throw UsageError(fmt::format("{}there is no lab file '{}'", launch.lab_place, launch.lab_file),
                     "its path is relative to the sweep file");
  const lab::LabPlan plan = lab::read_lab(yaml::load(launch.lab_file));
  require_places(experiment, plan);
  return plan.name;
}

void Labs::require(const std::string& lab_file) {
  adopt(lab_file);
  // Also called if the lab is up, because the tool compares the files and completes a lab that is half made.
  const Outcome outcome = run_tool({tool_, "lab", "up", lab_file, "--for", user_});
  if (outcome.status != Status::ok)
    throw Error(ExitCode::run_failed, fmt::format("cannot start the lab {}", names_.back()),
                without_name(outcome.error));
}

void Labs::adopt(const std::string& lab_file) {
  const std::string name = lab_name(lab_file);
  std::erase(names_, name);
  names_.push_back(name);
}

Labs::~Labs() {
  for (const std::string& name : names_) try {
      if (!is_for(name, user_)) continue;
      const Outcome outcome = run_tool({tool_, "lab", "down", "--name", name, "--for", user_});
      if (outcome.status != Status::ok)
        write_note(fmt::format("loadshare: cannot stop the lab {} ({}); run: loadshare lab down --name {}\n",
                               name, printable(without_name(outcome.error)), shell_word(name)));
    } catch (...) {
      report_that_it_stays(name);
    }
}

}  // namespace loadshare::sweep
