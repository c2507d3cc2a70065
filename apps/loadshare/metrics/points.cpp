#include "apps/loadshare/metrics/points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/loadshare/metrics/study_notes.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using granularity::Figure;
using granularity::Figures;
using granularity::Knowledge;

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
    medians.push_back(speeds.size() < runs.size() ? Figure() : granularity::median_of(std::move(speeds)));
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

}  // namespace

Point point_of(std::vector<SourcedRun> runs, const granularity::SequentialTimes& sequential,
               const SpeedBasis& speeds) {
  require_distinct(runs);
  Knowledge knowledge = knowledge_of(speeds, runs.front().times.ranks.size());
  knowledge.sequential = sequential;
  Point point;
  for (const SourcedRun& run : runs) point.by_run.push_back(granularity::figures_of(run.times, knowledge));
  point.spread = granularity::spread_of(point.by_run);
  point.ranks = median_ranks(runs, knowledge);
  point.speeds = median_speeds(runs, knowledge);
  point.runs = std::move(runs);
  point.notes = notes_of(point, speeds.source);
  return point;
}

}  // namespace loadshare::tool
