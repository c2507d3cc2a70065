#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/farm/farm.hpp"
#include "schedulers/table.hpp"

// The header for programs with a loop of their own. It includes everything that they need:
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

/// Description of a program, apart from its loops.
struct Program {
  std::string name = {};  ///< in --help and records; empty: the name it was started with
  std::string purpose = "Share a loop among workers.";  ///< first sentence of --help
  std::string example = {};                             ///< example command line in --help; empty: the name
  /// Adds the program's own options to CLI11's app, before loadshare's (include <CLI/CLI.hpp> for it).
  std::function<void(CLI::App&)> options = {};
  /// The names ("--out") of own options that records do not contain, because they do not change what is
  /// computed (an output file) or are secret. Records contain all others; runs that differ in one of them
  /// count as runs of different loops.
  std::vector<std::string> unrecorded = {};
  /// Used by loadshare's own programs instead of `options`. Declares all options, loadshare's by
  /// add_run_options() (program/farm_command_line.hpp), and their checks.
  std::function<void(CommandLineParser&, RunOptions&)> command_line = {};
  bool has_own_output = true;  ///< stdout belongs to the program; each loop's summary goes to stderr
  /// Techniques that --scheduler accepts, in addition to `auto`.
  SchedulerTable schedulers = built_in_schedulers();
};

/// Runs a program: reads the command line, makes the farm, and calls `body` on every rank. `argc` and `argv`
/// are those of main, which returns the result: the exit code. An exception of `body` is reported once, as
/// one message.
///
/// Every such program has --scheduler with `auto`, --workers, --prefetch, --reissue, --copies, --load,
/// --json, --trace, --progress, --help, --version, Ctrl-C, and a summary of each loop. It can be swept,
/// predicted, compared and profiled.
///
/// Call it once, before any thread starts. The farm exists until `body` returns; later use ends the program
/// with a message and exit code 2 (usage).
int run(int argc, char** argv, const std::function<void(Farm&)>& body, const Program& program = {});

}  // namespace loadshare
