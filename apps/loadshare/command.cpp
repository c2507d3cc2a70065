#include "apps/loadshare/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <vector>

#include "apps/loadshare/output.hpp"
#include "base/names.hpp"
#include "program/command_line.hpp"
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
  const std::string there_are = fmt::format("there are {}", list_names(known));
  if (word == nullptr)
    throw UsageError("no subcommand was given", there_are, fmt::format("see {} --help", path));
  const std::string text = word;
  if (text.starts_with('-') || std::ranges::find(known, text) != known.end()) return;
  throw UsageError(fmt::format("unknown subcommand '{}'", text), there_are, did_you_mean(text, known));
}

std::string help_hint(const std::string& words) {
  return words + " COMMAND says more of one.";
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

}  // namespace

std::span<const CommandEntry> commands() {
  static const std::vector<CommandEntry> table{
      {"tour", "Show in five minutes what there is, each step a command that it runs and explains",
       make_tour_command},
      {"chunks", "Print the chunk sizes that a scheduler hands out, in order", make_chunks_command},
      {"schedulers", "List the schedulers with their parameters", make_schedulers_command},
      {"doctor", "Say what would make runs slow here; under mpirun, for these ranks (one rank a host speaks)",
       make_doctor_command},
      {"load", "Keep a processor busy for a while, on and off: a background load by hand", make_load_command},
      {"hosts", "Say who works for a master that listens, at what and how fast; let one leave",
       make_hosts_command},
      {"lab", "Make a network of workstations on this machine, and run programs in it", make_lab_command},
      {"sweep", "Run the experiments of a YAML file, and keep every run", make_sweep_command},
      {"report", "Make a page of figures, verdicts and tables of what sweeps have measured",
       make_report_command},
      {"profile", "Run any MPI program, and keep where its ranks' time went", make_profile_command},
      {"metrics", "Say how well runs used their processors, and where the rest went", make_metrics_command},
      {"survey", "Measure how fast the ranks' hosts are now, and what of them is free, under mpirun",
       make_survey_command},
      {"calibrate", "Measure what messages and chunks cost between these ranks, under mpirun",
       make_calibrate_command},
      {"calibration", "Show what calibrate has measured", make_calibration_command},
      {"model", "Lay curves through measured message times, and predict others", make_model_command},
      {"graph", "Say what a program takes, from the graph of its steps and messages", make_graph_command},
      {"predict", "Say beforehand what schedulers would make of a loop, and which is best",
       make_predict_command},
      {"compare", "Hold predictions against what sweeps have measured", make_compare_command},
  };
  return table;
}

namespace {

std::unique_ptr<Command> read_words(int argc, const char* const* argv) {
  require_subcommand(argc > 1 ? argv[1] : nullptr, names(), "loadshare");
  CLI::App app("Load sharing on a handful of machines: look before you run", "loadshare");
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
