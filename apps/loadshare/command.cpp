#include "apps/loadshare/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "apps/loadshare/output.hpp"
#include "base/names.hpp"
#include "program/command_line.hpp"
#include "program/help.hpp"
#include "program/version.hpp"

namespace loadshare::tool {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const CommandEntry& entry : commands()) all.push_back(entry.name);
  return all;
}

std::vector<std::string> names_below(const CLI::App& app) {
  std::vector<std::string> all;
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(below->get_name());
  return all;
}

/// `word` is what stands where one of `known` belongs, null where nothing does; `path` what stands before.
void require_subcommand(const char* word, const std::vector<std::string>& known, const std::string& path) {
  const std::string there_are = fmt::format("valid: {}", list_names(known));
  if (word == nullptr)
    throw UsageError("no subcommand was given", there_are, fmt::format("see {} --help", path));
  const std::string text = word;
  if (text.starts_with('-') || std::ranges::find(known, text) != known.end()) return;
  throw UsageError(fmt::format("unknown subcommand '{}'", text), there_are, did_you_mean(text, known));
}

std::string help_hint(const std::string& words) {
  return words + " COMMAND describes one of them.";
}

/// The words of the subcommands that were read, for the way to their help.
std::string path_of(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + path_of(*chosen.front());
}

/// Also checks the subcommands that were given.
void require_values_below(const CLI::App& app) {
  require_values(app);
  for (const CLI::App* chosen : app.get_subcommands()) require_values_below(*chosen);
}

/// A word that begins with - is never taken for FILE: says so, before FILE is reported as missing.
void require_no_unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining(true)) {
    if (!word.starts_with('-') || word == "-" || word == "--") continue;
    std::error_code failure;
    const bool is_file = std::filesystem::exists(word, failure);
    throw UsageError(fmt::format("unknown option '{}'", word),
                     is_file ? "a file with this name exists, but - begins an option" : "",
                     is_file ? fmt::format("write ./{}", word) : fmt::format("see {} --help", path_of(app)));
  }
}

}  // namespace

std::span<const CommandEntry> commands() {
  static const std::vector<CommandEntry> table{
      {"tour", "Show what loadshare offers in five minutes, by commands that it runs and explains",
       make_tour_command},
      {"chunks", "Print the chunk sizes that a scheduler hands out, in order", make_chunks_command},
      {"schedulers", "List the schedulers with their parameters", make_schedulers_command},
      {"doctor", "Check what would make runs slow on this machine; under mpirun, on the hosts of the ranks",
       make_doctor_command},
      {"load", "Put a background load on a processor for a while, constant or on and off", make_load_command},
      {"hosts", "List the workers of a listening master, their chunks and rates; let one leave",
       make_hosts_command},
      {"lab", "Make a network of workstations on this machine, and run programs in it", make_lab_command},
      {"sweep", "Run the experiments of a YAML file, and record every run", make_sweep_command},
      {"report", "Make a page of figures, verdicts and tables from recorded sweeps", make_report_command},
      {"profile", "Run any MPI program, and record where its ranks spend their time", make_profile_command},
      {"metrics", "Show how efficiently runs used their processors, and where the rest was lost",
       make_metrics_command},
      {"survey", "Measure the speed of the ranks' hosts and how much of it is free, under mpirun",
       make_survey_command},
      {"calibrate", "Measure the times of messages and chunks, under mpirun", make_calibrate_command},
      {"calibration", "Show a calibration, or check how well it predicts another", make_calibration_command},
      {"model", "Fit message-time models and predict other sizes", make_model_command},
      {"graph", "Predict the run time of an MPI program from the graph of its steps and messages",
       make_graph_command},
      {"predict", "Predict a loop's run time with each scheduler, and recommend one", make_predict_command},
      {"compare", "Compare predicted with measured times of sweeps", make_compare_command},
  };
  return table;
}

namespace {

std::unique_ptr<Command> read_words(int argc, const char* const* argv) {
  require_subcommand(argc > 1 ? argv[1] : nullptr, names(), "loadshare");
  CLI::App app("Load sharing on a handful of machines: check, measure, compare and predict runs",
               "loadshare");
  fit_help(app);
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  std::map<std::string, std::unique_ptr<Command>> made;
  for (const CommandEntry& entry : commands()) {
    auto& command = made[entry.name] = entry.make();
    CLI::App& own = *app.add_subcommand(entry.name, entry.description);
    command->describe(own);
    if (!names_below(own).empty()) own.footer(help_hint("loadshare help " + own.get_name()));
  }
  app.footer(help_hint("loadshare help"));  // behind the subcommands, which would have it, too
  if (made.contains(argv[1]))
    if (const auto known = names_below(*app.get_subcommand(argv[1])); !known.empty())
      require_subcommand(argc > 2 ? argv[2] : nullptr, known, fmt::format("loadshare {}", argv[1]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return nullptr;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return nullptr;
  } catch (const CLI::ParseError& error) {
    require_values_below(app);
    require_no_unknown_option(app);
    throw UsageError(error.what(), "", fmt::format("see {} --help", path_of(app)));
  }
  require_values_below(app);
  return std::move(made.at(app.get_subcommands().front()->get_name()));
}

/// `help graph predict` asks for what `graph predict --help` does.
std::vector<const char*> without_help_command(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

}  // namespace

Terms terms_of(const CLI::App& command) {
  return {fmt::format("{}, {}", own_program(), command.get_name()), option_values(command)};
}

std::unique_ptr<Command> read_command_line(int argc, const char* const* argv) {
  const std::vector<const char*> words = without_help_command(argc, argv);
  return read_words(static_cast<int>(words.size()), words.data());
}

}  // namespace loadshare::tool
