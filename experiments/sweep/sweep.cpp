#include "experiments/sweep/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/io/text.hpp"
#include "base/names.hpp"
#include "experiments/lab/requirements.hpp"
#include "experiments/sweep/command.hpp"
#include "experiments/sweep/folder.hpp"
#include "experiments/sweep/labs.hpp"
#include "experiments/sweep/listing.hpp"
#include "experiments/sweep/process.hpp"
#include "experiments/sweep/results.hpp"
#include "experiments/sweep/run_loop.hpp"
#include "experiments/sweep/sweep_file.hpp"
#include "experiments/sweep/verdict.hpp"
#include "experiments/yaml/document.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/records/progress.hpp"

namespace loadshare::sweep {
namespace {

namespace fs = std::filesystem;

constexpr Index most_complaints = 5;

using Print = std::function<void(std::string_view)>;

std::string folder_of(const SweepRequest& request) {
  if (!request.out.empty()) return request.out;
  return (fs::path("results") / fs::path(request.file).stem()).string();
}

bool takes_part(const SweepRequest& request, const Experiment& experiment) {
  return request.only.empty() || std::ranges::find(request.only, experiment.name) != request.only.end();
}

/// Returns the command that resumes the sweep, for error texts.
std::string resume_line(const SweepRequest& request) {
  const std::string out = request.out.empty() ? "" : " --out " + file_word(request.out);
  return "loadshare sweep " + file_word(request.file) + out + " --resume" +
         option_text(request.setting, request.only);
}

Starter starter_of(const SweepRequest& request, const Experiment& experiment) {
  const std::string folder = fs::path(request.file).parent_path().string();
  const auto program = find_program(experiment.program, folder);
  if (!program)
    throw UsageError(fmt::format("{}there is no program '{}'", experiment.program_place, experiment.program),
                     experiment.program.find('/') == std::string::npos
                         ? "it is neither in the folder of loadshare nor in PATH"
                         : "its path is relative to the sweep file");
  const bool needs_lab = experiment.launch.with == LaunchKind::lab;
  return {*program, own_path(), needs_lab ? lab_of(experiment) : ""};
}

/// Checks option names before anything runs, because a misspelt one would fail every run.
void require_options(const Experiment& experiment, const std::vector<std::string>& known) {
  if (known.empty()) return;
  for (const auto& [name, place] : experiment.places) {
    if (name == load_axis || name == ranks_axis || std::ranges::find(known, name) != known.end()) continue;
    throw UsageError(fmt::format("{}{} has no option '{}'", place, experiment.program, name),
                     "its --help lists no such option", did_you_mean(name, known));
  }
}

std::map<std::string, Starter> starters_of(const SweepRequest& request, const SweepSpec& spec) {
  std::map<std::string, Starter> starters;
  std::map<std::string, std::vector<std::string>> options;  // by program, each asked once
  for (const Experiment& experiment : spec.experiments) {
    if (!takes_part(request, experiment)) continue;
    const Starter starter = starters[experiment.name] = starter_of(request, experiment);
    if (!is_own_program(experiment.program)) continue;
    if (!options.contains(starter.program)) options[starter.program] = listed_options(starter.program);
    require_options(experiment, options[starter.program]);
  }
  return starters;
}

void require_launchers(const SweepRequest& request, const SweepSpec& spec) {
  for (const Experiment& experiment : spec.experiments) {
    if (!takes_part(request, experiment) || experiment.launch.with == LaunchKind::in_process) continue;
    const std::string launcher = experiment.launch.with == LaunchKind::srun ? "srun" : "mpirun";
    if (!find_program(launcher, ""))
      throw UsageError(fmt::format("experiment {} needs {}", experiment.name, launcher), "it is not in PATH",
                       "install Open MPI or Slurm, or launch it otherwise");
    if (experiment.launch.with == LaunchKind::lab) lab::require_facilities();
  }
}

std::set<std::string> lab_files(const SweepRequest& request, const SweepSpec& spec) {
  std::set<std::string> files;
  for (const Experiment& experiment : spec.experiments)
    if (takes_part(request, experiment) && experiment.launch.with == LaunchKind::lab)
      files.insert(experiment.launch.lab_file);
  return files;
}

Index take_earlier(Plan& plan, const std::vector<LoggedRun>& runs) {
  const Index before = plan.left();
  for (const LoggedRun& run : runs)
    if (run.is_ok) plan.already_done(run.point, run.repetition, run.makespan_s);
  return before - plan.left();
}

SweepProgress progress_on_stderr(ProgressMode asked) {
  TerminalFacts terminal = terminal_facts();
  terminal.rows = TerminalFacts{}.rows;  // nothing else writes there, so the bar needs no row of its own
  return {resolved(asked, terminal), terminal_size(STDERR_FILENO).columns, write_stderr};
}

void complain(SweepProgress& progress, Index& complaints, const PlannedRun& run, const Outcome& outcome) {
  if (++complaints > most_complaints + 1) return;
  progress.clear();
  if (complaints > most_complaints) return write_note("further failures are only counted\n");
  std::string why = outcome.error;
  std::ranges::replace(why, '\n', ' ');
  write_note(fmt::format("{}: {}, repetition {} ({})\n", status_name(outcome.status), run.point->id,
                         run.repetition, printable(why)));
}

void report(const SweepRequest& request, const RunLoop& loop, Index left, bool was_interrupted, double took_s,
            const Folder& folder, const Print& print, const Conclude& conclude) {
  const std::string runs = count_text(loop.done(), "run", "runs");
  if (was_interrupted)
    throw Error(ExitCode::interrupted, fmt::format("interrupted after {}, with at most {} to go", runs, left),
                fmt::format("finished runs are in {}", folder.runs_file()),
                "resume with: " + resume_line(request));
  if (loop.has_given_up())
    throw Error(ExitCode::run_failed, fmt::format("the sweep ended early: its first {} all failed", runs),
                fmt::format("their errors are in {}", folder.runs_file()),
                "remove the cause, then run: " + resume_line(request));
  if (loop.done() == 0)
    print(fmt::format("all runs are done already: {}\n", folder.runs_file()));
  else if (loop.failed() == 0)
    print(fmt::format("{} in {}: {}\n", runs, duration_text(took_s), folder.runs_file()));
  if (loop.loops() > 1)
    print(fmt::format("note: each run recorded {} loops; only the first one's time is kept and compared\n",
                      loop.loops()));
  conclude(folder_of(request));
  if (loop.failed() > 0)
    throw Error(ExitCode::run_failed, fmt::format("{} of {} failed", loop.failed(), runs),
                fmt::format("their errors are in {}", folder.runs_file()),
                "repeat the failed runs with: " + resume_line(request));
}

void run_plan(const SweepRequest& request, const SweepSpec& spec, Plan& plan,
              const std::atomic<bool>& is_interrupted, const Print& print, const Conclude& conclude) {
  auto starters = starters_of(request, spec);
  require_launchers(request, spec);
  const Folder folder(folder_of(request), manifest_of(spec, request.version), request.file, request.resume);
  if (!folder.lock_note().empty()) write_note(fmt::format("note: {}\n", folder.lock_note()));
  const Index already_done = take_earlier(plan, folder.earlier());
  SweepProgress progress = progress_on_stderr(request.progress);
  Index complaints = 0;
  RunLoop* running = nullptr;
  ProcessExecutor executor(is_interrupted, [&] { running->show_progress(); });
  LoopParts parts{
      &spec,
      &plan,
      &executor,
      std::move(starters),
      folder.record_file(),
      [&](std::string line) { folder.append(std::move(line)); },
      [&](const Tally& tally, std::string_view point) { progress.update(monotonic_s(), tally, point); },
      [&](const PlannedRun& run, const Outcome& outcome) { complain(progress, complaints, run, outcome); },
      &is_interrupted};
  RunLoop loop(std::move(parts), static_cast<Index>(folder.earlier().size()), already_done);
  running = &loop;
  Labs labs(own_path(), fs::canonical(folder_of(request)).string());
  for (const std::string& file : lab_files(request, spec)) {
    if (plan.left() > 0)
      labs.require(file);
    else
      labs.adopt(file);
  }
  // Open MPI 4's mpirun calls about one good end in a thousand an improper one (open-mpi/ompi#7833).
  ::setenv("OMPI_MCA_orte_allowed_exit_without_sync", "1", 0);
  const double begun_s = monotonic_s();
  loop.run();
  progress.clear();
  report(request, loop, plan.left(), is_interrupted, monotonic_s() - begun_s, folder, print, conclude);
}

void list_plan(const SweepRequest& request, const SweepSpec& spec, Plan& plan, const Print& print) {
  if (request.resume == Resume::yes)
    take_earlier(plan, Folder::look(folder_of(request), manifest_of(spec, request.version), request.resume));
  print_listing(spec, plan, starters_of(request, spec), print);
}

/// Returns a note if the planned repeats can show no difference between the compared values; otherwise
/// nothing.
std::string too_few_repeats_text(const MeasuredExperiment& experiment) {
  const Index needed = repeats_needed(experiment);
  if (experiment.repeats >= needed) return "";
  return fmt::format("note: {} cannot name a winner (that needs at least {}, {} planned); {}\n",
                     experiment.name, count_text(needed, "repeat", "repeats"),
                     experiment.repeats == 1 ? "1 is" : fmt::format("{} are", experiment.repeats),
                     repeat_advice(needed, experiment.is_reduced));
}

/// Returns the sweep with the requested experiments only.
SweepSpec asked_of(const SweepRequest& request, SweepSpec spec) {
  std::erase_if(spec.experiments,
                [&](const Experiment& experiment) { return !takes_part(request, experiment); });
  return spec;
}

void validate(const SweepRequest& request, const SweepSpec& spec, const Plan& plan, const Print& print) {
  starters_of(request, spec);
  print(fmt::format("{}: valid, {}\n", request.file, plan_text(plan)));
  const nlohmann::json manifest = manifest_of(asked_of(request, spec), request.version);
  for (const MeasuredExperiment& experiment : planned_experiments(manifest))
    print(too_few_repeats_text(experiment));
}

BatchJob batch_job(const SweepRequest& request) {
  return {own_path(), fs::absolute(request.file).lexically_normal().string(),
          fs::absolute(folder_of(request)).lexically_normal().string(),
          option_text(request.setting, request.only)};
}

}  // namespace

void do_sweep(const SweepRequest& request, const std::atomic<bool>& is_interrupted, const Print& print,
              const Conclude& conclude) {
  const SweepSpec spec = read_sweep(yaml::load(request.file), request.setting, *request.schedulers);
  Plan plan(spec, request.only);
  switch (request.task) {
    case Task::run:
      return run_plan(request, spec, plan, is_interrupted, print, conclude);
    case Task::dry_run:
      return list_plan(request, spec, plan, print);
    case Task::validate:
      return validate(request, spec, plan, print);
    case Task::emit_sbatch:
      return print(batch_script(asked_of(request, spec), batch_job(request)));
  }
}

}  // namespace loadshare::sweep
