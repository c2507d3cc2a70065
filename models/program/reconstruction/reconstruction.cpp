#include "models/program/reconstruction/reconstruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "models/program/reconstruction/role_steps.hpp"
#include "models/program/reconstruction/roles.hpp"

namespace loadshare::reconstruction {

namespace {

/// The run whose parameters a graph has by default: on most ranks, of those that which took longest.
const ProfiledRun& largest(std::span<const ProfiledRun> runs) {
  return *std::ranges::max_element(
      runs, {}, [](const ProfiledRun& run) { return std::pair(run.traces.size(), run.makespan_s); });
}

timing_graph::Process process_of(const Role& role, bool is_only_one, Reconstruction& result) {
  timing_graph::Process process;
  if (!is_only_one) process.ranks = timing_graph::RankRange{{role.first, {}}, {role.last, {}}};
  process.steps = steps_of(role, result);
  return process;
}

/// Rules and laws are of all parameters, in every run.
void require_same_parameters(std::span<const ProfiledRun> runs) {
  const auto name = &scaling::Setting::value_type::first;
  for (const ProfiledRun& run : runs)
    if (!std::ranges::equal(run.setting, runs.front().setting, {}, name, name))
      throw UsageError(fmt::format("{} and {} have different parameters", runs.front().name, run.name),
                       "a graph is built from runs that all have the same ones");
}

}  // namespace

Reconstruction reconstruct(std::span<const ProfiledRun> runs) {
  require_same_parameters(runs);
  Reconstruction result;
  for (const ProfiledRun& run : runs) result.settings.push_back(run.setting);
  for (const auto& [name, value] : largest(runs).setting)
    result.graph.parameters.push_back({name, timing_graph::constant(value)});
  const std::vector<Role> roles = roles_of(runs);
  for (const Role& role : roles)
    result.graph.processes.push_back(process_of(role, roles.size() == 1, result));
  return result;
}

}  // namespace loadshare::reconstruction
