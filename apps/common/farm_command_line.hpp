#pragma once

#include <string>
#include <string_view>

#include "runtime/farm/options.hpp"
#include "runtime/timing/progress.hpp"

namespace CLI {
class App;
}

namespace loadshare {

/// What every farm application is told on its command line, besides its own work.
struct RunOptions {
  FarmOptions farm;
  std::string json;   ///< where the record's line goes: a file, "-" for stdout, or empty
  std::string trace;  ///< the file for the trace, or empty
  ProgressMode progress = ProgressMode::automatic;
};

/// Where --help shows options that are for testing only.
inline constexpr const char* testing_group = "For testing";

/// The options of a farm application: --scheduler, --workers, --master, --prefetch, --wait, --load, --json
/// and the rest, as words until the command line is read.
class FarmCommandLine {
 public:
  void add_to(CLI::App& app);
  /// Throws UsageError on values that make no sense.
  RunOptions read() const;
  /// `--scheduler help` was given: print the table and do nothing else.
  bool wants_scheduler_help() const { return scheduler_ == "help"; }

 private:
  void describe_workers(CLI::App& app);
  void describe_load(CLI::App& app);
  void describe_reports(CLI::App& app);

  std::string scheduler_ = "gss";
  std::string workers_ = "0";
  std::string master_ = "works";
  std::string master_rank_ = "0";
  std::string prefetch_ = "0";
  std::string wait_ = "auto";
  std::string load_;
  std::string ranks_per_host_ = "0";
  std::string progress_ = "auto";
  std::string json_;
  std::string trace_;
  bool reissue_ = false;
};

/// Parses the command line into what `app` was told of. Returns false when help or the version was asked for
/// (and printed, by the first rank only); throws UsageError, naming the nearest option to an unknown one.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv);

/// Prints what was asked for instead of a run, on the first rank only.
void answer(std::string_view what, const std::string& text);

}  // namespace loadshare
