#include "apps/loadshare/metrics/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "apps/common/standard_output.hpp"
#include "apps/loadshare/metrics/study_json.hpp"
#include "apps/loadshare/metrics/study_text.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/output_files.hpp"
#include "experiments/report/launch.hpp"

namespace loadshare::tool {
namespace {

void require_own_outputs(const MetricsRequest& request) {
  std::vector<std::string> read;
  for (const std::string& path : request.paths)
    for (const std::string& file : files_behind(path)) read.push_back(file);
  require_outputs({request.json, request.plot}, read);
}

void require_something_to_plot(const Study& study) {
  const auto has_several = [](const SettingStudy& setting) { return setting.points.size() > 1; };
  if (std::ranges::none_of(study.settings, has_several))
    throw UsageError("there is nothing to plot over", "every setting ran on one number of ranks only",
                     "give runs on several numbers of ranks");
}

std::vector<Source> read_sources(const std::vector<std::string>& paths) {
  std::set<std::string> seen;
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    std::error_code failure;
    if (!seen.insert(std::filesystem::weakly_canonical(files_behind(path).front(), failure).string()).second)
      throw UsageError(fmt::format("{} is given twice", path), "each run is to count once");
    sources.push_back(runs_of(path));
  }
  return sources;
}

}  // namespace

ExitCode tell_metrics(const MetricsRequest& request) {
  require_own_outputs(request);
  const Study study = study_of(read_sources(request.paths), request.study);
  if (!request.plot.empty()) require_something_to_plot(study);
  const std::string json =
      study_json(study).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  show(request.json == "-" ? stderr : stdout, "the metrics", study_text(study, request.study));
  if (!request.json.empty()) write_json(request.json, json);
  finish_printing();
  if (!request.plot.empty()) report::run_python({"scaling-plot", request.plot}, json);
  return ExitCode::good;
}

}  // namespace loadshare::tool
