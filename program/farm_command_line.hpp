#pragma once

#include <memory>
#include <string>

#include "program/command_line.hpp"
#include "program/forecast.hpp"
#include "program/run_report.hpp"
#include "runtime/farm/farm.hpp"
#include "runtime/farm/options.hpp"

namespace loadshare {

/// What every farm application is told on its command line, besides its own work.
struct RunOptions : ReportOptions {
  FarmOptions farm;
  /// Its schedulers are those of make_farm(), so it must live as long as the farm.
  std::shared_ptr<RunForecast> forecast = std::make_shared<RunForecast>();
};

/// The farm that the options ask for, with `auto` among its schedulers.
Farm make_farm(const RunOptions& options);

/// The options of a farm application: --scheduler, --workers, --master, --prefetch, --wait, --load, --json
/// and the rest, as words until the command line is read.
class FarmCommandLine {
 public:
  void add_to(CommandLineParser& parser);
  /// Whether `--scheduler help` was given; the table was printed then, and there is no more to do.
  bool has_answered() const;
  /// Throws UsageError on values that make no sense.
  RunOptions read() const;

 private:
  void describe_workers(const OptionGroup& group);
  void describe_load(const OptionGroup& group);
  void describe_reports(const OptionGroup& group);

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
