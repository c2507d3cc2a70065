#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/farm/farm.hpp"
#include "schedulers/table.hpp"

// What a program with a loop of its own includes, and all that it needs:
//
//   int main(int argc, char** argv) {
//     return loadshare::run(argc, argv, [](loadshare::Farm& farm) {
//       std::vector<int> steps = farm.map<int>(100'000, [](loadshare::Index i) { return collatz(i + 1); });
//       if (farm.is_master()) print(std::ranges::max(steps));
//     });
//   }

namespace CLI {
class App;
}

namespace loadshare {

class CommandLineParser;
struct RunOptions;

/// What a program is beside its loops.
struct Program {
  std::string name = {};                                ///< in --help and records; empty: as it was started
  std::string purpose = "Share a loop among workers.";  ///< the first words of --help
  std::string example = {};                             ///< its words in --help; empty: the name
  /// Adds the program's own options to CLI11's app, before ours are added (include <CLI/CLI.hpp> for it).
  std::function<void(CLI::App&)> options = {};
  /// The names ("--out") of those options that records do not contain: they do not change what is computed
  /// (an output file), or are secret. Records contain all others, and runs that differ in one of them are
  /// runs of different loops.
  std::vector<std::string> unrecorded = {};
  /// What loadshare's own programs have instead: declares all options, ours by add_run_options()
  /// (program/farm_command_line.hpp), and their checks.
  std::function<void(CommandLineParser&, RunOptions&)> command_line = {};
  bool has_own_output = true;  ///< stdout is the program's, and each loop's summary goes to stderr
  /// The techniques that --scheduler may name; `auto` comes with them.
  SchedulerTable schedulers = built_in_schedulers();
};

/// The frame of a program's main: reads the command line, makes the farm, and calls `body` on every rank.
/// With that come --scheduler and `auto`, --workers, --prefetch, --reissue, --copies, --load, --json,
/// --trace, --progress, --help, --version, Ctrl-C, and a summary of each loop. Such a program can be swept,
/// predicted, compared and profiled. To be called once, before there are threads; the farm is there until
/// `body` returns: to use it afterwards ends the program, with a message and the exit code of wrong usage.
/// Returns what main should: the exit code, after one message where something was thrown.
int run(int argc, char** argv, const std::function<void(Farm&)>& body, const Program& program = {});

}  // namespace loadshare
