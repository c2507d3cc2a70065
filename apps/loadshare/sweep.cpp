#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "experiments/sweep/sweep.hpp"
#include "experiments/sweep/verdict.hpp"
#include "models/farm/auto_scheduler.hpp"
#include "program/interruption.hpp"

namespace loadshare::tool {
namespace {

using Cells = std::vector<std::string>;

Cells row_of(const sweep::JudgedValue& value, bool is_fastest) {
  Cells row{value.name};
  if (value.runs == 0) {
    row.insert(row.end(), {"no run has a time", "", "", "", "", ""});
    return row;
  }
  for (const double seconds : {value.mean_s, value.deviation_s, value.least_s, value.most_s})
    row.push_back(duration_text(seconds));
  if (value.runs == 1) row[2] = "-";
  row.push_back(fmt::format("{}", value.runs));
  row.push_back(value.over_fastest ? ratio_text(*value.over_fastest) : is_fastest ? "1" : "");
  return row;
}

std::string table_of(const sweep::Verdict& verdict, const std::string& along) {
  std::vector<Cells> rows{
      {along.empty() ? "point" : along, "mean", "deviation", "least", "most", "runs", "times as long"}};
  for (const sweep::JudgedValue& value : verdict.values)
    rows.push_back(row_of(value, verdict.is_compared && &value == &verdict.values.front()));
  return table_text(rows, 1);
}

std::string experiment_text(const sweep::MeasuredExperiment& experiment) {
  std::string text = fmt::format("\n{}: {}\n", experiment.name, experiment.title);
  for (const std::string& doubt : doubts_about(experiment)) text += wrapped(doubt, metrics_width, 2) + "\n";
  for (const sweep::Verdict& verdict : verdicts_of(experiment)) {
    if (!verdict.setting.empty()) text += "\n" + verdict.setting + "\n";
    text += "\n" + table_of(verdict, experiment.along);
    if (const std::string sentence = verdict.sentence(); !sentence.empty())
      text += wrapped(sentence, metrics_width, 2) + "\n";
  }
  if (experiment.along.empty() && experiment.points.size() > 1)
    text += "nothing is compared: add `compare: AXIS` to the file for a winner\n";
  return text;
}

/// The tables and the winners of a sweep's folder.
void print_verdicts(const std::string& folder) {
  for (const sweep::MeasuredExperiment& experiment : sweep::read_results(folder))
    print(experiment_text(experiment));
}

class Sweep final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("FILE", request_.file, "the sweep: a YAML file, see experiments/quick.yaml")->required();
    app.add_option("--out", request_.out, "the folder of its runs (default: results/<name of FILE>)")
        ->type_name("DIR")
        ->check([](const std::string& folder) {
          return folder.empty() ? std::string("it is empty") : std::string();
        });
    app.add_option("--only", request_.only, "run only this experiment; may be given several times")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--resume", resume_, "continue in a folder with runs: run only what is missing or failed");
    app.add_flag("--reduced", reduced_, "use the smaller setting of FILE, under `reduced:`");
    app.add_flag("--dry-run", dry_run_, "print the commands in their order, run nothing");
    app.add_flag("--validate", validate_, "check FILE, run nothing");
    app.add_option("--emit", emit_, "print a batch script that runs the sweep: sbatch")->type_name("WHAT");
    app.add_option("--progress", progress_, "how progress is shown: auto, bar, lines or none")
        ->type_name("HOW")
        ->capture_default_str();
  }

  ExitCode run() override {
    request_.task = task();
    request_.resume = resume_ ? sweep::Resume::yes : sweep::Resume::no;
    request_.setting = reduced_ ? sweep::Setting::reduced : sweep::Setting::full;
    request_.progress = parse_progress_mode(progress_);
    request_.version = LOADSHARE_VERSION;
    const SchedulerTable schedulers = predictor::farm_schedulers();
    request_.schedulers = &schedulers;
    const bool prints_commands =
        request_.task == sweep::Task::dry_run || request_.task == sweep::Task::emit_sbatch;
    do_sweep(request_, watch_interruptions(), prints_commands ? print_exactly : print, print_verdicts);
    return ExitCode::good;
  }

 private:
  sweep::Task task() const {
    const std::string sbatch = "sbatch";
    if (!emit_.empty() && emit_ != sbatch) throw unknown_name("--emit", emit_, std::array{sbatch});
    if (dry_run_ + validate_ + (emit_.empty() ? 0 : 1) > 1)
      throw UsageError("--dry-run, --validate and --emit exclude each other", "", "give one of them");
    if (dry_run_) return sweep::Task::dry_run;
    if (validate_) return sweep::Task::validate;
    return emit_.empty() ? sweep::Task::run : sweep::Task::emit_sbatch;
  }

  sweep::SweepRequest request_;
  bool resume_ = false;
  bool reduced_ = false;
  bool dry_run_ = false;
  bool validate_ = false;
  std::string emit_;
  std::string progress_ = "auto";
};

}  // namespace

std::unique_ptr<Command> make_sweep_command() {
  return std::make_unique<Sweep>();
}

}  // namespace loadshare::tool
