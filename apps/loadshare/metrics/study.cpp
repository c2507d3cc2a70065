#include "apps/loadshare/metrics/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/loadshare/metrics/groups.hpp"
#include "apps/loadshare/metrics/kept_efficiency.hpp"
#include "apps/loadshare/metrics/points.hpp"
#include "apps/loadshare/metrics/sequential_runs.hpp"
#include "apps/loadshare/metrics/study_notes.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

/// Such runs beside their own time would compare nothing: it shows only what was lost or stolen in them.
bool are_all_of(const RunsByRanks& runs, const SequentialRuns& alone, const Setting& setting) {
  return runs.size() == 1 && !alone.runs.empty() && alone.runs.front().setting == setting;
}

SettingStudy setting_study(const Setting& setting, const Groups& groups, const StudyRequest& request) {
  const RunsByRanks& runs = groups.at(setting);
  granularity::SequentialTimes sequential = request.sequential;
  SequentialRuns alone;
  if (!sequential.relative_s) alone = sequential_runs(groups, setting);
  const bool is_compared = !are_all_of(runs, alone, setting);
  if (!alone.runs.empty() && is_compared) sequential.relative_s = alone.time_s();
  SettingStudy study;
  study.setting = setting;
  if (is_compared) study.sequential_source = request.sequential.relative_s ? "given" : alone.source;
  study.speeds = speed_basis(runs, alone.runs, groups, request.speeds);
  for (const auto& [ranks, of_ranks] : runs)
    study.points.push_back(point_of(of_ranks, sequential, study.speeds));
  study.notes = notes_of(study, alone);
  return study;
}

/// A sequential time is of one problem.
void require_one_problem(const Groups& groups, const granularity::SequentialTimes& given) {
  if (groups.size() > 1 && (given.absolute_s || given.real_s || given.relative_s))
    throw UsageError(fmt::format("one sequential time for {} settings", groups.size()),
                     "it is the time of one problem", "give the files of one setting at a time");
}

/// Of a profile only the command line tells what was asked for.
void add_profiles_note(Study& study) {
  const auto is_profile = [](const SettingStudy& one) {
    return one.setting.options.contains(measured_by_option);
  };
  if (std::ranges::count_if(study.settings, is_profile) > 1)
    study.notes.emplace_back("profiles are put together where their command lines are equal");
}

}  // namespace

const Point* Study::only_point() const {
  if (settings.size() != 1 || settings.front().points.size() != 1) return nullptr;
  return &settings.front().points.front();
}

Study study_of(std::vector<Source> sources, const StudyRequest& request) {
  Study study;
  const Groups groups = grouped(std::move(sources), study.notes);
  require_one_problem(groups, request.sequential);
  require_fitting(request.speeds, groups);
  for (const auto& [setting, runs] : groups)
    study.settings.push_back(setting_study(setting, groups, request));
  add_profiles_note(study);
  if (request.kept_efficiency)
    study.isoefficiency = isoefficiency_of(study.settings, *request.kept_efficiency);
  return study;
}

}  // namespace loadshare::tool
