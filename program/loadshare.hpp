#pragma once

#include <functional>
#include <string>

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

/// What a program is beside its loops.
struct Program {
  std::string purpose = "Share a loop among workers.";  ///< the first words of --help
  /// Adds the program's own options to CLI11's app, before ours are added (include <CLI/CLI.hpp> for it).
  std::function<void(CLI::App&)> options = {};
  /// The techniques that --scheduler may name; `auto` comes with them.
  SchedulerTable schedulers = built_in_schedulers();
};

/// The frame of a program's main: reads the command line, makes the farm, and calls `body` on every rank.
/// With that come --scheduler and `auto`, --workers, --prefetch, --reissue, --load, --json, --trace,
/// --progress, --help, --version, Ctrl-C, and a summary of each loop on stderr, for stdout is the program's
/// own. Such a program can be swept, predicted, compared and profiled. To be called once, before there are
/// threads; the farm is there until `body` returns, and throws UsageError afterwards.
/// Returns what main should: the exit code, after one message where something was thrown.
int run(int argc, char** argv, const std::function<void(Farm&)>& body, const Program& program = {});

}  // namespace loadshare
