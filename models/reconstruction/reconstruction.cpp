#include "models/reconstruction/reconstruction.hpp"

#include <algorithm>
#include <utility>

#include "models/reconstruction/role_steps.hpp"
#include "models/reconstruction/roles.hpp"

namespace loadshare::reconstruction {

namespace {

/// The run whose parameters a graph has by default: on most ranks, of those that which took longest.
const ProfiledRun& largest(std::span<const ProfiledRun> runs) {
  return *std::ranges::max_element(
      runs, {}, [](const ProfiledRun& run) { return std::pair(run.traces.size(), run.makespan_s); });
}

timing_graph::Process process_of(const Role& role, bool is_only_one, std::vector<PartialTime>& times) {
  timing_graph::Process process;
  if (!is_only_one) process.ranks = timing_graph::RankRange{{role.first, {}}, {role.last, {}}};
  process.steps = steps_of(role, times);
  return process;
}

}  // namespace

Reconstruction reconstruct(std::span<const ProfiledRun> runs) {
  Reconstruction result;
  for (const auto& [name, value] : largest(runs).setting)
    result.graph.parameters.push_back({name, timing_graph::constant(value)});
  const std::vector<Role> roles = roles_of(runs);
  for (const Role& role : roles)
    result.graph.processes.push_back(process_of(role, roles.size() == 1, result.times));
  return result;
}

}  // namespace loadshare::reconstruction
