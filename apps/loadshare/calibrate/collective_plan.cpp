#include "apps/loadshare/calibrate/collective_plan.hpp"

#include <algorithm>

#include "apps/loadshare/calibrate/mpi/collective_call_names.hpp"

namespace loadshare::tool {
namespace {

constexpr Index most_bytes_together = Index{128} << 20;

CollectivePlan plan_of(const CalibrateOptions& options, int ranks) {
  CollectivePlan plan{ranks, options.collectives};
  if (plan.options.calls.empty()) plan.options.calls = collective_call_names();
  plan.options.max_bytes = std::min(plan.options.max_bytes, most_bytes_together / ranks);
  return plan;
}

}  // namespace

std::vector<CollectivePlan> collective_plans(const CalibrateOptions& options, int ranks) {
  if (!options.has_collectives || (options.collectives.calls.empty() && ranks == 2)) return {};
  std::vector<CollectivePlan> plans;
  for (int some = 2; some < ranks; some *= 2) plans.push_back(plan_of(options, some));
  plans.push_back(plan_of(options, ranks));
  return plans;
}

}  // namespace loadshare::tool
