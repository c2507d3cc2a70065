#pragma once

#include <string>

#include "apps/common/command_line.hpp"
#include "apps/common/run_report.hpp"
#include "runtime/farm/options.hpp"

namespace loadshare {

/// What every farm application is told on its command line, besides its own work.
struct RunOptions : ReportOptions {
  FarmOptions farm;
};

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

}  // namespace loadshare
