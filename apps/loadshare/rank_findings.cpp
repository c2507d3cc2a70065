#include "apps/loadshare/rank_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

/// The processors that are there for the run on this host.
std::set<int> usable(const Surroundings& seen) {
  std::set<int> cpus;
  for (const RankPlace& place : seen.places) cpus.insert(place.cpus.begin(), place.cpus.end());
  if (cpus.empty()) cpus.insert(seen.allowed_cpus.begin(), seen.allowed_cpus.end());
  return cpus;
}

bool is_overcrowded(const Surroundings& seen) {
  return seen.ranks.ranks_here > capacity(seen);
}

int whole_capacity(const Surroundings& seen) {
  return std::max(1, static_cast<int>(std::floor(capacity(seen))));
}

MaybeFinding cores_of_ranks(const Surroundings& seen) {
  const int here = seen.ranks.ranks_here;
  const std::string finding = fmt::format("{} on {}", count_text(here, "rank", "ranks"), capacity_text(seen));
  if (is_overcrowded(seen))
    return Finding{Level::warn, "cores", finding, "ranks that share one take it from each other",
                   fmt::format("start at most {} on this host", whole_capacity(seen))};
  if (seen.physical_cores > 0 && here > seen.physical_cores)
    return Finding{Level::warn, "cores",
                   fmt::format("{} with {}", finding, count_text(seen.physical_cores, "core", "cores")),
                   "two hardware threads of one core compute hardly faster than one",
                   fmt::format("start at most {} on this host", seen.physical_cores)};
  return Finding{Level::ok, "cores", finding, "", ""};
}

/// Ranks that are bound to the same processors with more of them than processors, while others are free.
std::vector<int> crowded_ranks(const Surroundings& seen) {
  const std::size_t all = usable(seen).size();
  for (const RankPlace& place : seen.places) {
    std::vector<int> inside;
    for (const RankPlace& other : seen.places)
      if (!other.cpus.empty() &&
          std::includes(place.cpus.begin(), place.cpus.end(), other.cpus.begin(), other.cpus.end()))
        inside.push_back(other.rank);
    const bool leaves_others =
        place.cpus.size() < std::max<std::size_t>(all, static_cast<std::size_t>(seen.machine_cpus));
    if (leaves_others && inside.size() > place.cpus.size()) return inside;
  }
  return {};
}

MaybeFinding binding_of_ranks(const Surroundings& seen) {
  if (const std::vector<int> crowded = crowded_ranks(seen); !crowded.empty())
    return Finding{Level::warn, "binding",
                   fmt::format("ranks {} are bound to the same {}", fmt::join(crowded, ", "),
                               crowded.size() > 2 ? "few processors" : "processor"),
                   "they take turns while other processors idle",
                   "start with mpirun --bind-to core --map-by core"};
  const bool is_bound = std::any_of(seen.places.begin(), seen.places.end(), [&](const RankPlace& place) {
    return !place.cpus.empty() && static_cast<int>(place.cpus.size()) < seen.machine_cpus;
  });
  return Finding{Level::ok, "binding",
                 is_bound ? "ranks are bound to processors of their own" : "ranks are not bound", "", ""};
}

}  // namespace

std::string processors(Index number) {
  return count_text(number, "processor", "processors");
}

double capacity(const Surroundings& seen) {
  const auto cpus = static_cast<double>(std::max<std::size_t>(usable(seen).size(), 1));
  return std::min(cpus, seen.cpu_quota.value_or(cpus));
}

std::string capacity_text(const Surroundings& seen) {
  const auto cpus = static_cast<Index>(std::max<std::size_t>(usable(seen).size(), 1));
  if (capacity(seen) >= static_cast<double>(cpus)) return processors(cpus);
  return fmt::format("{}, of which the control group grants {:.2g}", processors(cpus), capacity(seen));
}

MaybeFinding cores_finding(const Surroundings& seen) {
  if (seen.ranks.is_under_mpirun()) return cores_of_ranks(seen);
  if (capacity(seen) < 2)
    return Finding{Level::warn, "cores", capacity_text(seen), "there is nothing to share the load with",
                   "take more machines with mpirun --host"};
  return Finding{Level::ok, "cores", capacity_text(seen), "", ""};
}

MaybeFinding binding_finding(const Surroundings& seen) {
  if (seen.places.size() > 1) return binding_of_ranks(seen);
  const auto allowed = static_cast<int>(seen.allowed_cpus.size());
  const std::string finding =
      fmt::format("this process may use {} of {}", allowed, processors(seen.machine_cpus));
  if (allowed > 0 && allowed < seen.machine_cpus && !seen.ranks.is_under_mpirun())
    return Finding{Level::warn, "binding", finding, "workers started here share them",
                   "look at taskset and the batch system's request"};
  return Finding{Level::ok, "binding", finding, "", ""};
}

MaybeFinding waiting_finding(const Surroundings& seen) {
  if (seen.ranks.is_under_mpirun() && is_overcrowded(seen) && !seen.ranks.knows_oversubscription)
    return Finding{
        Level::warn, "waiting", "mpirun does not know that ranks share processors",
        "ranks that wait inside MPI then spin in the way of those that compute: 5 to 6 times slower",
        "start with --mca mpi_yield_when_idle 1 and wait with --wait nap"};
  return Finding{Level::ok, "waiting", "MPI by itself spins while it waits, a whole processor a rank",
                 "--wait auto naps instead wherever ranks share processors", ""};
}

}  // namespace loadshare::tool
