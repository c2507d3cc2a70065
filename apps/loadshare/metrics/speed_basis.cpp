#include "apps/loadshare/metrics/speed_basis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/granularity/spread.hpp"
#include "runtime/timing/wording.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using granularity::RankTimes;
using granularity::RunTimes;
using granularity::SpeedSource;

const RunTimes& largest_run(const Groups& groups) {
  const auto most = [](const auto& group) { return group.second.rbegin()->first; };
  return std::ranges::max_element(groups, {}, most)->second.rbegin()->second.front().times;
}

std::optional<std::size_t> place_of(const RunTimes& run, int rank) {
  const auto found = std::ranges::find(run.ranks, rank, &RankTimes::rank);
  if (found == run.ranks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - run.ranks.begin());
}

SpeedBasis given_basis(const Groups& groups, const SpeedRequest& request) {
  const RunTimes& largest = largest_run(groups);
  const int reference = request.reference_rank.value_or(largest.ranks.front().rank);
  return {SpeedSource::given, request.given, request.given[place_of(largest, reference).value()],
          granularity::are_unequal(request.given)};
}

void add_quotas(std::vector<double>& quotas, const std::vector<SourcedRun>& runs) {
  for (const SourcedRun& run : runs)
    for (const RankTimes& rank : run.times.ranks) quotas.push_back(rank.capacity);
}

std::vector<double> all_quotas(const RunsByRanks& by_ranks, const std::vector<SourcedRun>& alone) {
  std::vector<double> quotas;
  add_quotas(quotas, alone);
  for (const auto& [ranks, runs] : by_ranks) add_quotas(quotas, runs);
  return quotas;
}

/// The median speed of a rank over the runs that tell it; of the first one where no number is given.
std::optional<double> median_speed(const std::vector<SourcedRun>& runs, std::optional<int> rank,
                                   SpeedSource source) {
  granularity::Knowledge knowledge;
  knowledge.speed_source = source;
  std::vector<double> values;
  for (const SourcedRun& run : runs) {
    const std::optional<std::size_t> place = rank ? place_of(run.times, *rank) : 0;
    const auto speeds = granularity::speeds_of(run.times, knowledge);
    if (place && speeds) values.push_back((*speeds)[*place]);
  }
  return values.empty() ? std::nullopt : std::optional(granularity::median_of(std::move(values)));
}

bool tells_speeds(const RunsByRanks& by_ranks) {
  return std::ranges::any_of(by_ranks, [](const auto& entry) {
    return std::ranges::any_of(entry.second, [](const SourcedRun& run) {
      return granularity::measured_speeds(run.times).has_value();
    });
  });
}

}  // namespace

void require_fitting(const SpeedRequest& request, const Groups& groups) {
  if (groups.empty()) return;
  const RunTimes& largest = largest_run(groups);
  if (!request.given.empty() && request.given.size() != largest.ranks.size())
    throw UsageError(
        "--speeds has " + count_text(static_cast<Index>(request.given.size()), "speed", "speeds"),
        "the largest run has " + count_text(static_cast<Index>(largest.ranks.size()), "rank", "ranks"),
        "give one for each of its ranks");
  if (!request.reference_rank || place_of(largest, *request.reference_rank)) return;
  const int first = largest.ranks.front().rank, last = largest.ranks.back().rank;
  throw UsageError(fmt::format("there is no rank {}", *request.reference_rank),
                   first == last ? fmt::format("the only one is {}", first)
                                 : fmt::format("the ranks of the largest run are {} to {}", first, last),
                   "name another as the reference");
}

SpeedBasis speed_basis(const RunsByRanks& runs, const std::vector<SourcedRun>& alone, const Groups& groups,
                       const SpeedRequest& request) {
  if (!request.given.empty()) return given_basis(groups, request);
  SpeedBasis basis;
  basis.is_unequal = granularity::are_unequal(all_quotas(runs, alone));
  if (basis.is_unequal)
    basis.source = SpeedSource::quota;
  else if (tells_speeds(runs))
    basis.source = SpeedSource::measured;
  if (!basis.source) return basis;
  const bool is_named = request.reference_rank.has_value();
  basis.reference =
      median_speed(is_named ? runs.rbegin()->second : alone, request.reference_rank, *basis.source);
  return basis;
}

granularity::Knowledge knowledge_of(const SpeedBasis& basis, std::size_t ranks) {
  granularity::Knowledge knowledge;
  knowledge.speed_source = basis.source.value_or(SpeedSource::measured);
  knowledge.reference_speed = basis.reference;
  const std::size_t count = std::min(ranks, basis.given.size());
  knowledge.given_speeds.assign(basis.given.begin(),
                                basis.given.begin() + static_cast<std::ptrdiff_t>(count));
  return knowledge;
}

}  // namespace loadshare::tool
