#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "schedulers/error.hpp"

namespace CLI {
class App;
}

namespace loadshare::tool {

/// One subcommand of the tool: what it is told on the command line, and what it does.
class Command {
 public:
  virtual ~Command() = default;
  /// Tells `app` of the options. They are words until run() makes sense of them.
  virtual void describe(CLI::App& app) = 0;
  /// Throws UsageError on words that make no sense, Error when it fails.
  virtual ExitCode run() = 0;
};

struct CommandEntry {
  std::string name;
  std::string description;  ///< one line, for --help
  std::function<std::unique_ptr<Command>()> make;
};

/// Every subcommand, in the order of --help.
std::span<const CommandEntry> commands();

}  // namespace loadshare::tool
