#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/io/files.hpp"
#include "program/command_line.hpp"
#include "program/forecast.hpp"
#include "program/run_report.hpp"
#include "runtime/farm/farm.hpp"
#include "runtime/farm/options.hpp"

namespace loadshare {

/// The options that all farm applications share.
struct RunOptions : ReportOptions {
  FarmOptions farm;
  std::string auto_from;        ///< the earlier runs that `auto` starts from: EarlierRuns
  std::optional<int> drain_on;  ///< the signal on which a run drains; empty: none
  /// Has the schedulers of make_farm(), so it must live as long as the farm.
  std::shared_ptr<RunForecast> forecast = std::make_shared<RunForecast>();
};

/// Returns the beginning of a farm application's help: its purpose, and `words`, an example of its command
/// line.
std::string farm_purpose(const std::string& what, const std::string& words);

/// Adds the options that all farm applications share: --scheduler, --workers, --load, --json and the others.
void add_run_options(CommandLineParser& parser, RunOptions& options);

/// Returns the files that a run with these options reads. No output may overwrite them.
std::vector<NamedFile> files_read(const RunOptions& options);

/// Makes the farm that the options ask for, with `auto` among its schedulers.
Farm make_farm(const RunOptions& options);

}  // namespace loadshare
