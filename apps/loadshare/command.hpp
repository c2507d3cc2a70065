#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "runtime/farm/agreement.hpp"

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

/// The command and its options, which must be the same on all ranks that take part in it. To be called after
/// the options have been read.
Terms terms_of(const CLI::App& command);

struct CommandEntry {
  std::string name;
  std::string description;  ///< one line, for --help
  std::function<std::unique_ptr<Command>()> make;
};

/// Every subcommand, in the order of --help.
std::span<const CommandEntry> commands();

// One a file in this folder.
std::unique_ptr<Command> make_tour_command();
std::unique_ptr<Command> make_chunks_command();
std::unique_ptr<Command> make_schedulers_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_load_command();
std::unique_ptr<Command> make_hosts_command();
std::unique_ptr<Command> make_lab_command();
std::unique_ptr<Command> make_sweep_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_profile_command();
std::unique_ptr<Command> make_metrics_command();
std::unique_ptr<Command> make_survey_command();
std::unique_ptr<Command> make_calibrate_command();
std::unique_ptr<Command> make_calibration_command();
std::unique_ptr<Command> make_model_command();
std::unique_ptr<Command> make_graph_command();
std::unique_ptr<Command> make_predict_command();
std::unique_ptr<Command> make_compare_command();

/// The subcommand that the command line asks for, told its words; nothing when help or the version was asked
/// for and has been printed. Throws UsageError.
std::unique_ptr<Command> read_command_line(int argc, const char* const* argv);

}  // namespace loadshare::tool
