#include "apps/loadshare/metrics/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "apps/loadshare/metrics/study_notes.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using granularity::Figure;
using granularity::Figures;
using granularity::Knowledge;

using RunsByRanks = std::map<std::size_t, std::vector<SourcedRun>>;

bool is_same_run(const granularity::RunTimes& one, const granularity::RunTimes& other) {
  const auto same = [](const granularity::RankTimes& a, const granularity::RankTimes& b) {
    return a.computing_s == b.computing_s && a.communicating_s == b.communicating_s && a.idle_s == b.idle_s;
  };
  return one.run_s == other.run_s && std::ranges::equal(one.ranks, other.ranks, same);
}

void require_distinct(const std::vector<SourcedRun>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_run(runs[i].times, runs[j].times))
        throw UsageError(fmt::format("{}: the same run again", runs[i].place),
                         fmt::format("it is {}", runs[j].place), "give each run once");
}

std::vector<Figure> median_speeds(const std::vector<SourcedRun>& runs, const Knowledge& knowledge) {
  std::vector<std::vector<double>> of_rank(runs.front().times.ranks.size());
  for (const SourcedRun& run : runs)
    if (const auto speeds = granularity::speeds_of(run.times, knowledge))
      for (std::size_t i = 0; i < of_rank.size(); ++i) of_rank[i].push_back((*speeds)[i]);
  std::vector<Figure> medians;
  for (std::vector<double>& speeds : of_rank)
    medians.push_back(speeds.empty() ? Figure() : granularity::median_of(std::move(speeds)));
  return medians;
}

std::vector<Figures> median_ranks(const std::vector<SourcedRun>& runs, const Knowledge& knowledge) {
  std::vector<std::vector<Figures>> of_rank(runs.front().times.ranks.size());
  for (const SourcedRun& run : runs) {
    const std::vector<Figures> ranks = granularity::figures_of_ranks(run.times, knowledge);
    for (std::size_t i = 0; i < ranks.size(); ++i) of_rank[i].push_back(ranks[i]);
  }
  std::vector<Figures> medians;
  for (const auto& figures : of_rank) medians.push_back(granularity::spread_of(figures).median);
  return medians;
}

Knowledge knowledge_for(std::size_t ranks, const StudyRequest& request) {
  Knowledge knowledge;
  knowledge.sequential = request.sequential;
  knowledge.reference_rank = request.reference_rank;
  if (request.speeds.empty()) return knowledge;
  const auto reference = static_cast<std::size_t>(request.reference_rank.value_or(0));
  if (reference >= request.speeds.size())
    throw UsageError(fmt::format("there is no rank {}", reference),
                     fmt::format("{} speeds are given", request.speeds.size()),
                     "name another as the reference");
  knowledge.reference_speed = request.speeds[reference];
  knowledge.speeds.assign(
      request.speeds.begin(),
      request.speeds.begin() + static_cast<std::ptrdiff_t>(std::min(ranks, request.speeds.size())));
  return knowledge;
}

Point point_of(std::vector<SourcedRun> runs, const StudyRequest& request) {
  require_distinct(runs);
  const Knowledge knowledge = knowledge_for(runs.front().times.ranks.size(), request);
  std::vector<Figures> figures;
  for (const SourcedRun& run : runs) figures.push_back(granularity::figures_of(run.times, knowledge));
  Point point;
  point.spread = granularity::spread_of(figures);
  point.ranks = median_ranks(runs, knowledge);
  point.speeds = median_speeds(runs, knowledge);
  point.runs = std::move(runs);
  point.notes = notes_of(point);
  return point;
}

double median_run_s(const std::vector<SourcedRun>& runs) {
  std::vector<double> times_s;
  for (const SourcedRun& run : runs) times_s.push_back(run.times.run_s);
  return granularity::median_of(std::move(times_s));
}

SettingStudy setting_study(const Setting& setting, RunsByRanks runs, StudyRequest request) {
  SettingStudy study{setting, {}, {}, {}};
  if (request.sequential.relative_s) {
    study.sequential_source = "given";
  } else if (const auto alone = runs.find(1); alone != runs.end()) {
    request.sequential.relative_s = median_run_s(alone->second);
    study.sequential_source = sequential_source(alone->second);
  }
  for (auto& [ranks, of_point] : runs) study.points.push_back(point_of(std::move(of_point), request));
  study.notes = notes_of(study);
  return study;
}

/// What is given beside the files is of one problem and one machine.
void require_fitting(const std::map<Setting, RunsByRanks>& groups, const StudyRequest& request) {
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
  std::map<Setting, RunsByRanks> groups;
  for (Source& source : sources) {
    std::ranges::move(source.notes, std::back_inserter(study.notes));
    for (SourcedRun& run : source.runs) groups[run.setting][run.times.ranks.size()].push_back(std::move(run));
  }
  require_fitting(groups, request);
  for (auto& [setting, runs] : groups)
    study.settings.push_back(setting_study(setting, std::move(runs), request));
  if (request.kept_efficiency)
    study.isoefficiency = isoefficiency_of(study.settings, *request.kept_efficiency);
  return study;
}

}  // namespace loadshare::tool
