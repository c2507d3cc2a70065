#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "experiments/lab/entry.hpp"
#include "experiments/lab/lab.hpp"
#include "experiments/lab/lab_file.hpp"
#include "experiments/lab/status.hpp"
#include "experiments/lab/store.hpp"
#include "experiments/yaml/document.hpp"

namespace loadshare::tool {
namespace {

using Clock = std::chrono::steady_clock;

std::string since(Clock::time_point begun) {
  return duration_text(std::chrono::duration<double>(Clock::now() - begun).count());
}

class Lab final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.require_subcommand(1);
    describe_up(*app.add_subcommand("up", "Make the network of workstations that a file describes"));
    describe_run(*app.add_subcommand("run", "Run a command in a lab; mpirun starts one rank a host"));
    describe_status(*app.add_subcommand("status", "Show the hosts of the running labs"));
    describe_down(*app.add_subcommand("down", "End all processes in a lab, and remove it"));
  }

  ExitCode run() override {
    if (name_) lab::require_name(*name_, "--name");
    return action_();
  }

 private:
  void add_name(CLI::App& app, const char* meaning) {
    app.add_option("--name", name_, meaning)->type_name("N");
  }

  void add_user(CLI::App& app, const char* meaning) {
    app.add_option("--for", user_, meaning)->type_name("WHOM");
  }

  void describe_up(CLI::App& app) {
    app.add_option("FILE", file_, "the lab file, YAML")->required();
    add_name(app, "name of the lab (as its file says)");
    add_user(app, "program that needs the lab; `lab down --for WHOM` gives up only its claim");
    app.callback([this] { action_ = [this] { return bring_up(); }; });
  }

  void describe_run(CLI::App& app) {
    add_name(app, "name of the lab (the only one that is running)");
    app.add_option("--on", host_, "host that runs the command (the first)")->type_name("HOST");
    app.add_option("COMMAND", program_, "the command and its arguments")->required();
    app.prefix_command();
    app.footer("Write the command after --: loadshare lab run -- mpirun matmul --size 720");
    app.callback([this, &app] {
      words_ = app.remaining();
      action_ = [this]() -> ExitCode { run_inside(); };
    });
  }

  void describe_status(CLI::App& app) {
    add_name(app, "show only this lab");
    app.add_flag("--json", json_, "print one JSON list");
    app.callback([this] { action_ = [this] { return show(); }; });
  }

  void describe_down(CLI::App& app) {
    add_name(app, "name of the lab (the only one that is running)");
    add_user(app, "program that no longer needs the lab; it ends if no other user needs it");
    app.callback([this] { action_ = [this] { return take_down(); }; });
  }

  ExitCode bring_up() {
    const auto begun = Clock::now();
    lab::LabPlan plan = lab::read_lab(yaml::load(file_));
    if (name_) plan.name = *name_;
    const lab::UpResult result = lab::up(plan, std::filesystem::absolute(file_).string(), user_);
    if (result.outcome == lab::Outcome::nothing_to_do)
      print(fmt::format("{} is up already\n", plan.name));
    else
      print(fmt::format("{} is up: {} on {}, made in {}\n", plan.name,
                        count_text(static_cast<Index>(plan.hosts.size()), "host", "hosts"),
                        to_text(result.state.subnet), since(begun)));
    return ExitCode::good;
  }

  /// The program's words are what CLI11 leaves over: a list of words it would split at commas in brackets.
  std::vector<std::string> command() const {
    std::vector<std::string> words = words_;
    if (!words.empty() && words.front() == "--") words.erase(words.begin());
    words.insert(words.begin(), program_);
    return words;
  }

  [[noreturn]] void run_inside() {
    const lab::LabState state = lab::find_lab(name_);
    if (!host_ && lab::is_launcher(program_)) lab::run_launcher(state, command());
    lab::run_on_host(state, host_.value_or(state.plan.hosts.front().name), command());
  }

  ExitCode show() {
    std::vector<lab::LabStatus> labs;
    for (const std::string& name : name_ ? std::vector{*name_} : lab::lab_names())
      if (const auto state = lab::load_state(name)) labs.push_back(lab::look_at(*state));
    if (json_)
      print_exactly(lab::status_json(labs));
    else if (labs.empty())
      print(name_
                ? fmt::format("No lab '{0}' is running; start it: loadshare lab up FILE --name {0}\n", *name_)
                : "No lab is running; start one: loadshare lab up FILE\n");
    else
      for (const lab::LabStatus& one : labs) print(status_table(one) + (&one == &labs.back() ? "" : "\n"));
    return ExitCode::good;
  }

  ExitCode take_down() {
    const auto begun = Clock::now();
    const std::vector<std::string> names = lab::lab_names();
    if (!name_ && names.size() > 1)
      throw UsageError("several labs are running", fmt::format("{}", list_names(names)),
                       "choose one with --name");
    if (!name_ && names.empty()) {
      print("No lab is running: nothing to do\n");
      return ExitCode::good;
    }
    const std::string name = name_.value_or(names.empty() ? "" : names.front());
    const bool is_by_hand = user_ == lab::by_hand;
    const lab::Outcome outcome = is_by_hand ? lab::down(name) : lab::release(name, user_);
    if (outcome == lab::Outcome::done)
      print(fmt::format("{} is down after {}\n", name, since(begun)));
    else if (is_by_hand)
      print(fmt::format("No lab '{}' is running: nothing to do\n", name));
    else
      print(fmt::format("{} is left as it is: it is not running, or not for {} alone\n", name, user_));
    return ExitCode::good;
  }

  std::function<ExitCode()> action_;
  std::string file_;
  std::optional<std::string> name_;
  std::optional<std::string> host_;
  std::string user_ = lab::by_hand;
  std::string program_;
  std::vector<std::string> words_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_lab_command() {
  return std::make_unique<Lab>();
}

}  // namespace loadshare::tool
