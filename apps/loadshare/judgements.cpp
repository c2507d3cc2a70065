#include "apps/loadshare/judgements.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;
using ByRound = std::map<Index, double>;

constexpr std::size_t relative_kind = 2;

/// The sequential run of each round, in relation to the median.
ByRound sequential_by_round(const granularity::SequentialRuns& sequential) {
  ByRound rounds;
  for (const granularity::SourcedRun& run : sequential.runs)
    if (run.repetition) rounds[*run.repetition] = run.times.run_s / sequential.time_s();
  return rounds;
}

struct Efficiencies {
  ByRound by_granularity, classical;
};

Efficiencies efficiencies_by_round(const granularity::Point& point, const ByRound& sequential,
                                   bool is_unequal) {
  Efficiencies rounds;
  for (std::size_t i = 0; i < point.runs.size() && point.processors() > 1; ++i) {
    const granularity::Figures& run = point.by_run[i];
    const granularity::ClassicalFigures& relative = run.classical[relative_kind];
    const granularity::Figure& efficiency = is_unequal ? run.efficiency_h : run.efficiency;
    const granularity::Figure& classical = is_unequal ? relative.efficiency_h : relative.efficiency;
    const auto alone = sequential.find(point.runs[i].repetition.value_or(-1));
    if (alone == sequential.end() || efficiency.value_or(0) <= 0 || !classical) continue;
    rounds.by_granularity[alone->first] = *efficiency;
    rounds.classical[alone->first] = *classical * alone->second;
  }
  return rounds;
}

ordered_json end_json(const std::optional<Interval>& interval, double Interval::*end) {
  return interval ? ordered_json((*interval).*end) : ordered_json(nullptr);
}

}  // namespace

ordered_json ratio_json(const std::optional<sweep::TimeRatio>& ratio) {
  if (!ratio) return nullptr;
  return {{"value", ratio->value},
          {"low", end_json(ratio->interval, &Interval::low)},
          {"high", end_json(ratio->interval, &Interval::high)},
          {"is_shown", ratio->is_shown()},
          {"is_equal", ratio->is_equal()},
          {"text", ratio_text(*ratio)}};
}

std::vector<std::optional<sweep::TimeRatio>> over_classical(const granularity::SettingStudy& setting,
                                                            const sweep::Judging& judging) {
  const ByRound sequential = sequential_by_round(setting.sequential);
  std::vector<Efficiencies> points;
  for (const granularity::Point& point : setting.points)
    points.push_back(efficiencies_by_round(point, sequential, setting.speeds.is_unequal));
  std::vector<sweep::PairedTimes> pairs;
  for (const Efficiencies& point : points) pairs.push_back({&point.by_granularity, &point.classical});
  return time_ratios(pairs, judging);
}

}  // namespace loadshare::tool
