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

/// What every farm application is told on its command line, besides its own work.
struct RunOptions : ReportOptions {
  FarmOptions farm;
  std::string auto_from;        ///< the earlier runs that `auto` knows: EarlierRuns
  std::optional<int> drain_on;  ///< the signal on which a run drains; empty: none
  /// Its schedulers are those of make_farm(), so it must live as long as the farm.
  std::shared_ptr<RunForecast> forecast = std::make_shared<RunForecast>();
};

/// What --help of a farm application begins with: what it does, and an example of its words.
std::string farm_purpose(const std::string& what, const std::string& words);

/// Tells the parser of --scheduler, --workers, --master, --prefetch, --wait, --load, --json and the rest.
void add_run_options(CommandLineParser& parser, RunOptions& options);

/// The files that a run with these options reads, so that no output may overwrite them.
std::vector<NamedFile> files_read(const RunOptions& options);

/// The farm that the options ask for, with `auto` among its schedulers.
Farm make_farm(const RunOptions& options);

}  // namespace loadshare
