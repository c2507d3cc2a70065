#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/metrics/study.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {

/// `loadshare metrics`: how well programs used their processors, and where the rest went.
struct MetricsRequest {
  std::vector<std::string> paths;
  StudyRequest study;
  std::string json;  ///< a file, "-" for stdout, or empty for none
  std::string plot;  ///< a file that ends in .svg or .png, or empty for none
};

/// Reads the files, prints the tables (to stderr where stdout is for the JSON), writes what was asked for. A
/// plot is drawn by python, which this process then goes on as. Throws UsageError on bad input, before
/// anything is written; Error (run_failed) where writing fails.
ExitCode tell_metrics(const MetricsRequest& request);

}  // namespace loadshare::tool
