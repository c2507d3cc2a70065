#include "apps/loadshare/metrics/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "apps/loadshare/metrics/points.hpp"
#include "apps/loadshare/metrics/study_notes.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using RunsByRanks = std::map<std::size_t, std::vector<SourcedRun>>;

using Groups = std::map<Setting, RunsByRanks>;

/// The runs on one rank whose time is a setting's relative sequential one; null where there are none.
const std::vector<SourcedRun>* runs_alone(const Groups& groups, const Setting& setting) {
  Setting undisturbed = setting;
  undisturbed.options.erase(load_option);
  for (const Setting& candidate : {undisturbed, setting}) {
    const auto group = groups.find(candidate);
    if (group != groups.end() && group->second.contains(1)) return &group->second.at(1);
  }
  return nullptr;
}

double median_over(const std::vector<SourcedRun>& runs, const std::function<double(const SourcedRun&)>& of) {
  std::vector<double> values;
  std::ranges::transform(runs, std::back_inserter(values), of);
  return granularity::median_of(std::move(values));
}

double stolen_share(const SourcedRun& run) {
  return *granularity::figures_of(run.times).stolen;
}

SettingStudy setting_study(const Setting& setting, const Groups& groups, StudyRequest request) {
  SettingStudy study{.setting = setting, .points = {}, .sequential_source = {}, .notes = {}};
  if (request.sequential.relative_s) {
    study.sequential_source = "given";
  } else if (const auto* alone = runs_alone(groups, setting)) {
    request.sequential.relative_s =
        median_over(*alone, [](const SourcedRun& run) { return run.times.run_s; });
    study.sequential_source = sequential_source(*alone);
    study.sequential_stolen = median_over(*alone, stolen_share);
  }
  for (const auto& [ranks, runs] : groups.at(setting)) study.points.push_back(point_of(runs, request));
  study.notes = notes_of(study);
  return study;
}

/// What is given beside the files is of one problem and one machine.
void require_fitting(const Groups& groups, const StudyRequest& request) {
  const granularity::SequentialTimes& given = request.sequential;
  if (groups.size() > 1 && (given.absolute_s || given.real_s || given.relative_s))
    throw UsageError(fmt::format("one sequential time for {} settings", groups.size()),
                     "it is the time of one problem", "give the files of one setting at a time");
  std::size_t most = 0;
  for (const auto& [setting, runs] : groups) most = std::max(most, runs.rbegin()->first);
  if (!request.speeds.empty() && request.speeds.size() != most)
    throw UsageError(fmt::format("--speeds has {} speeds", request.speeds.size()),
                     fmt::format("the largest run has {} ranks", most), "give one for each of its ranks");
}

/// W of a setting is one number whatever p is: what the fewest ranks computed. (The time of a run on one rank
/// would count what was stolen from it.)
double problem_size_s(const SettingStudy& study) {
  return *study.points.front().spread.median.computing_s;
}

std::vector<granularity::IsoefficiencyPoint> isoefficiency_of(const std::vector<SettingStudy>& settings,
                                                              double kept) {
  std::set<std::string> programs;
  std::vector<granularity::SizedRun> runs;
  for (const SettingStudy& study : settings) {
    programs.insert(study.setting.program);
    for (const Point& point : study.points)
      runs.push_back({point.processors(), problem_size_s(study), *point.spread.median.efficiency});
  }
  if (programs.size() > 1)
    throw UsageError(fmt::format("isoefficiency of {} programs", programs.size()), "it is of one program",
                     "give the files of one");
  if (settings.size() < 2)
    throw UsageError("isoefficiency of one problem size", "it takes runs of at least two sizes",
                     "give more files");
  return granularity::isoefficiency(runs, kept);
}

}  // namespace

const Point* Study::only_point() const {
  if (settings.size() != 1 || settings.front().points.size() != 1) return nullptr;
  return &settings.front().points.front();
}

Study study_of(std::vector<Source> sources, const StudyRequest& request) {
  Study study;
  Groups groups;
  for (Source& source : sources) {
    std::ranges::move(source.notes, std::back_inserter(study.notes));
    for (SourcedRun& run : source.runs) groups[run.setting][run.times.ranks.size()].push_back(std::move(run));
  }
  require_fitting(groups, request);
  for (const auto& [setting, runs] : groups)
    study.settings.push_back(setting_study(setting, groups, request));
  if (request.kept_efficiency)
    study.isoefficiency = isoefficiency_of(study.settings, *request.kept_efficiency);
  return study;
}

}  // namespace loadshare::tool
