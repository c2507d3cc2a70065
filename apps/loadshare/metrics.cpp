#include "apps/loadshare/metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "apps/loadshare/calibration_file.hpp"
#include "apps/loadshare/calibration_summary.hpp"
#include "apps/loadshare/command.hpp"
#include "apps/loadshare/judgements.hpp"
#include "apps/loadshare/metrics_json.hpp"
#include "apps/loadshare/metrics_text.hpp"
#include "apps/loadshare/metrics_tree.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "models/efficiency/study.hpp"
#include "runtime/records/reading.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

constexpr const char* details_hint =
    "--details shows every figure, each rank, and where the time in MPI went";

/// From which sizes on sends wait, and where that was measured.
struct MeasuredLimits {
  calibration::Launch launch;
  bool has_one_host = false;  ///< else those of one host were not measured
  waiting::EagerLimits bytes;
};

/// `loadshare metrics`: how well programs used their processors, and where the rest went.
struct MetricsRequest {
  std::vector<std::string> paths;
  StudyRequest study;
  std::string json;  ///< a file, "-" for stdout, or empty for none
  std::string plot;  ///< a file that ends in .svg or .png, or empty for none
  std::string calibration;
  std::optional<MeasuredLimits> limits;  ///< of the calibration
  granularity::ProfileQuestion profiles;
  bool wants_details = false;
};

void require_own_outputs(const MetricsRequest& request) {
  std::vector<std::string> read;
  for (const std::string& path : request.paths)
    for (const std::string& file : files_behind(path)) read.push_back(file);
  if (!request.calibration.empty()) read.push_back(request.calibration);
  require_outputs({request.json, request.plot}, read);
}

void require_something_to_plot(const Study& study) {
  const auto has_several = [](const SettingStudy& setting) { return setting.points.size() > 1; };
  if (std::ranges::none_of(study.settings, has_several))
    throw UsageError("there is no axis for a plot", "every setting ran on one number of ranks only",
                     "give runs on several numbers of ranks");
}

/// Between sizes that were measured, of all pairs that lie so: none where a pair's sends are all alike.
std::optional<waiting::SendLimits> limits_of(const calibration::Calibration& measured, bool on_one_host) {
  std::optional<waiting::SendLimits> limits;
  for (const calibration::Pair& pair : calibration::pairs_of(measured)) {
    if (calibration::share_host(measured, pair) != on_one_host) continue;
    const auto threshold = threshold_of(kinds_of(measured, pair));
    if (!threshold) continue;
    const waiting::SendLimits own{static_cast<std::uint64_t>(threshold->first),
                                  static_cast<std::uint64_t>(threshold->second) - 1};
    if (!limits) limits = own;
    limits->eager_bytes = std::min(limits->eager_bytes, own.eager_bytes);
    limits->held_bytes = std::max(limits->held_bytes, own.held_bytes);
  }
  return limits;
}

/// Which sends wait for their receive as it was measured. Throws UsageError where the calibration does not
/// tell.
MeasuredLimits measured_limits(const std::string& path) {
  const calibration::Calibration measured = read_calibration(path);
  const auto one_host = limits_of(measured, true);
  const auto two_hosts = limits_of(measured, false);
  if (!one_host && !two_hosts)
    throw UsageError(fmt::format("{} does not show which sends wait for their receive", path),
                     "no pair has standard sends to late receives both below and above that size",
                     "calibrate with mpirun -np 2 loadshare calibrate and its default sizes");
  MeasuredLimits limits{measured.launches.front(), one_host.has_value(), {}};
  if (one_host) limits.bytes.one_host = *one_host;
  if (two_hosts) limits.bytes.two_hosts = *two_hosts;
  return limits;
}

/// Of profiles alone: records do not tell single sends.
std::vector<calibration::RunPlace> places_of_profiles(const std::vector<granularity::Source>& sources) {
  std::vector<calibration::RunPlace> places;
  for (const granularity::Source& source : sources)
    for (const granularity::SourcedRun& run : source.runs) {
      if (!run.setting.options.contains(granularity::measured_by_option)) continue;
      places.push_back({run.place, {}, run.mpi});
      for (const granularity::RankTimes& rank : run.times.ranks) places.back().hosts.push_back(rank.host);
    }
  return places;
}

/// Where the sends of the runs may wait from other sizes on than those that were measured.
std::vector<std::string> notes_on_limits(const MeasuredLimits& limits,
                                         const std::vector<granularity::Source>& sources) {
  const std::vector<calibration::RunPlace> places = places_of_profiles(sources);
  std::vector<std::string> notes =
      notes_on_setup(limits.launch, places, "sends may begin to wait at another size there");
  const std::vector<std::string> shared = with_shared_hosts(places);
  if (!limits.has_one_host && !shared.empty())
    notes.push_back(
        fmt::format("several ranks of {} were on one host, but the calibration does not show which sends "
                    "wait within a host: they are judged as without a calibration",
                    fmt::join(shared, ", ")));
  return notes;
}

std::vector<granularity::Source> read_sources(const std::vector<std::string>& paths,
                                              const granularity::ProfileQuestion& profiles) {
  require_each_once(paths);
  std::vector<granularity::Source> sources;
  for (const std::string& path : paths) sources.push_back(granularity::runs_of(path, profiles));
  return sources;
}

/// First what the efficiency is made of, then whatever was asked for.
std::string text_of(const Study& study, const MetricsRequest& request) {
  const TreeStyle style = tree_style(request.json == "-" ? STDERR_FILENO : STDOUT_FILENO);
  std::string text;
  for (const SettingStudy& setting : study.settings) text += tree_text(setting, study, style) + "\n";
  if (request.wants_details)
    text += printable_lines(details_text(study)) + "\n";
  else
    text += wrapped(details_hint, style.columns, 2) + "\n";
  if (request.study.kept_efficiency)
    text += printable_lines(isoefficiency_text(study, *request.study.kept_efficiency));
  for (const std::string& note : all_notes(study))
    text += wrapped("note  " + printable(note), style.columns, 6) + "\n";
  return text;
}

/// Reads the files, prints the tables (to stderr where stdout is for the JSON), writes what was asked for. A
/// plot is drawn by python, which this process then goes on as. Throws UsageError on bad input, before
/// anything is written; Error (run_failed) where writing fails.
ExitCode tell_metrics(const MetricsRequest& request) {
  require_own_outputs(request);
  std::vector<granularity::Source> sources = read_sources(request.paths, request.profiles);
  std::vector<std::string> notes;
  if (request.limits) notes = notes_on_limits(*request.limits, sources);
  Study study = study_of(std::move(sources), request.study);
  std::ranges::move(notes, std::back_inserter(study.notes));
  if (!request.plot.empty()) require_something_to_plot(study);
  answer({request.json, request.plot}, "the metrics", text_of(study, request),
         file_text(study_json(study), 2), "scaling-plot");
  return ExitCode::good;
}

/// How the experiments of a sweep are judged. Throws Error where its folder cannot be read.
std::map<std::string, sweep::Judging> judging_by_experiment(const std::string& folder) {
  std::map<std::string, sweep::Judging> judging;
  for (const sweep::MeasuredExperiment& experiment : sweep::read_experiments(folder))
    judging[experiment.name] = {experiment.error, experiment.equal_within};
  return judging;
}

/// Beside a point's efficiencies, for the page alone: `over_classical`, see there.
void add_over_classical(ordered_json& settings, const Study& study, const std::string& folder) {
  const auto judging = judging_by_experiment(folder);
  for (std::size_t i = 0; i < study.settings.size(); ++i) {
    const SettingStudy& setting = study.settings[i];
    const auto experiment = setting.setting.options.find(granularity::experiment_option);
    if (experiment == setting.setting.options.end()) continue;
    const auto found = judging.find(std::get<std::string>(experiment->second));
    const auto ratios = over_classical(setting, found == judging.end() ? sweep::Judging() : found->second);
    for (std::size_t j = 0; j < ratios.size(); ++j)
      settings[i]["points"][j]["over_classical"] = ratio_json(ratios[j]);
  }
}

ordered_json efficiencies_of(const std::string& folder) {
  ordered_json json{{"folder", folder}, {"study", nullptr}, {"notes", ordered_json::array()}};
  try {
    const Study study = granularity::study_of({granularity::runs_of(folder)}, {});
    json["study"] = study_json(study);
    json["notes"] = study.notes;
    if (json["study"].contains("settings")) add_over_classical(json["study"]["settings"], study, folder);
  } catch (const Error& error) {  // what is wrong with the folder itself, the report says too
    json["notes"].push_back(error.what());
  }
  return json;
}

/// Whatever the files are: what is wrong with it is told first.
double efficiency_to_keep(const std::string& text) {
  const double kept = number("--keep", text);
  (void)granularity::isoefficiency_factor(kept);
  return kept;
}

class Metrics final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("FILE", files_,
                   "records of runs (what programs wrote with --json), a folder of a sweep, or profiles\n"
                   "(profiles with equal command lines are combined)")
        ->required();
    const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
      app.add_option(name, word, text)->type_name(type);
    };
    app.add_flag("--details", wants_details_,
                 "show every figure with its meaning, each rank, and where time went");
    app.add_flag("--whole", wants_whole_,
                 "show the figures of the whole run, although the program marks a part");
    add("--json", json_, "FILE|-", "write the figures as JSON; - writes only the JSON, to stdout");
    add("--plot", plot_, "FILE.svg|.png", "draw speedup and efficiency over the number of ranks");
    add("--calibration", calibration_, "FILE",
        "calibration of the same hosts: gives the size from which sends wait for their receive\n"
        "(default: judged by when the sends ended, except the shortest)");
    add("--t-absolute", absolute_, "S", "seconds of the best sequential program on the fastest machine");
    add("--t-real", real_, "S", "seconds of the best sequential program on one of these processors");
    add("--t-relative", relative_, "S",
        "seconds of this program on one of them (default: the runs on 1 rank)");
    add("--speeds", speeds_, "S1,S2,...",
        "speeds of the ranks' processors, in any unit (default: the hosts' quotas if they\n"
        "differ, otherwise as measured)");
    add("--reference-rank", reference_rank_, "RANK",
        "rank whose processor is that of the sequential run (default: that run's own, or\n"
        "the first rank's)");
    add("--keep", keep_, "E",
        "efficiency to keep, as 0.8: shows the problem size that does so (isoefficiency)");
    app.footer(
        "The parallel efficiency is the product of load balance, communication (serialisation x transfer)\n"
        "and processor. Values of 80 % or more are green, of 60 % or more yellow, unless NO_COLOR is set.\n"
        "With several numbers of ranks, computation scaling shows what more ranks compute beyond what few "
        "do.\n"
        "A program marks the part that counts by MPI_Pcontrol(1) before and MPI_Pcontrol(0) after it "
        "(Fortran:\n"
        "call MPI_Pcontrol(1)), any number of times. The figures are then of that part, next to the "
        "efficiency\n"
        "of the whole run. If the program was built with -g, places in it are shown as lines.");
  }

  ExitCode run() override {
    MetricsRequest request{files_, {}, json_, plot_, calibration_, {}, {}};
    if (wants_whole_) request.profiles.extent = waiting::Extent::whole;
    if (!calibration_.empty()) {
      request.limits = measured_limits(calibration_);
      request.profiles.eager = request.limits->bytes;
    }
    // Who gives these asks for the figures that they make.
    request.wants_details = wants_details_ || !absolute_.empty() || !real_.empty() || !relative_.empty() ||
                            !speeds_.empty() || !reference_rank_.empty();
    StudyRequest& study = request.study;
    if (!absolute_.empty()) study.sequential.absolute_s = positive_number("--t-absolute", absolute_);
    if (!real_.empty()) study.sequential.real_s = positive_number("--t-real", real_);
    if (!relative_.empty()) study.sequential.relative_s = positive_number("--t-relative", relative_);
    if (!speeds_.empty()) study.speeds.given = positive_numbers("--speeds", speeds_);
    if (!keep_.empty()) study.kept_efficiency = efficiency_to_keep(keep_);
    if (!reference_rank_.empty())
      study.speeds.reference_rank = static_cast<int>(
          whole_number("--reference-rank", reference_rank_, 0, std::numeric_limits<int>::max()));
    return tell_metrics(request);
  }

 private:
  std::vector<std::string> files_;
  bool wants_details_ = false;
  bool wants_whole_ = false;
  std::string json_;
  std::string plot_;
  std::string calibration_;
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
