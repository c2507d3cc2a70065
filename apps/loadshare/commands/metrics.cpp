#include "apps/loadshare/commands/metrics.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/metrics/sources.hpp"
#include "apps/loadshare/metrics/study.hpp"
#include "apps/loadshare/metrics/study_json.hpp"
#include "apps/loadshare/metrics/study_text.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/quantities.hpp"
#include "experiments/report/launch.hpp"

namespace loadshare::tool {
namespace {

/// `loadshare metrics`: how well programs used their processors, and where the rest went.
struct MetricsRequest {
  std::vector<std::string> paths;
  StudyRequest study;
  std::string json;  ///< a file, "-" for stdout, or empty for none
  std::string plot;  ///< a file that ends in .svg or .png, or empty for none
};

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

/// Reads the files, prints the tables (to stderr where stdout is for the JSON), writes what was asked for. A
/// plot is drawn by python, which this process then goes on as. Throws UsageError on bad input, before
/// anything is written; Error (run_failed) where writing fails.
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

using nlohmann::ordered_json;

ordered_json efficiencies_of(const std::string& folder) {
  ordered_json json{{"folder", folder}, {"study", nullptr}, {"notes", ordered_json::array()}};
  try {
    const Study study = study_of({runs_of(folder)}, {});
    json["study"] = study_json(study);
    json["notes"] = study.notes;
  } catch (const UsageError& error) {  // what is wrong with the folder itself, the report says too
    json["notes"].push_back(error.what());
  }
  return json;
}

class Metrics final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("FILE", files_,
                   "records of runs (what programs wrote with --json), a folder of a sweep, or profiles\n"
                   "(of one program those with equal command lines are put together)")
        ->required();
    const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
      app.add_option(name, word, text)->type_name(type);
    };
    add("--json", json_, "FILE|-", "write the figures as JSON; with - to stdout, and nothing else there");
    add("--plot", plot_, "FILE.svg|.png", "draw speedup and efficiency over the number of ranks");
    add("--t-absolute", absolute_, "S", "seconds of the best sequential program on the fastest machine");
    add("--t-real", real_, "S", "seconds of the best sequential program on one of these processors");
    add("--t-relative", relative_, "S",
        "seconds of this program on one of them (default: the runs on 1 rank)");
    add("--speeds", speeds_, "S1,S2,...",
        "of the ranks' processors, in any unit (default: the hosts' quotas, where they\n"
        "differ, else as measured)");
    add("--reference-rank", reference_rank_, "RANK",
        "whose processor is that of the sequential run (default: that run's own, else the\n"
        "first rank's)");
    add("--keep", keep_, "E", "efficiency to keep, as 0.8: which problem size does, by isoefficiency");
  }

  ExitCode run() override {
    MetricsRequest request{files_, {}, json_, plot_};
    StudyRequest& study = request.study;
    if (!absolute_.empty()) study.sequential.absolute_s = positive_number("--t-absolute", absolute_);
    if (!real_.empty()) study.sequential.real_s = positive_number("--t-real", real_);
    if (!relative_.empty()) study.sequential.relative_s = positive_number("--t-relative", relative_);
    if (!speeds_.empty()) study.speeds.given = positive_numbers("--speeds", speeds_);
    if (!keep_.empty()) study.kept_efficiency = positive_number("--keep", keep_);
    if (!reference_rank_.empty())
      study.speeds.reference_rank = static_cast<int>(
          whole_number("--reference-rank", reference_rank_, 0, std::numeric_limits<int>::max()));
    return tell_metrics(request);
  }

 private:
  std::vector<std::string> files_;
  std::string json_;
  std::string plot_;
  std::string absolute_;
  std::string real_;
  std::string relative_;
  std::string speeds_;
  std::string reference_rank_;
  std::string keep_;
};

}  // namespace

std::string efficiencies_json(std::span<const std::string> folders) {
  ordered_json json{{"schema", metrics_schema}, {"folders", ordered_json::array()}};
  for (const std::string& folder : folders) json["folders"].push_back(efficiencies_of(folder));
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::unique_ptr<Command> make_metrics_command() {
  return std::make_unique<Metrics>();
}

}  // namespace loadshare::tool
