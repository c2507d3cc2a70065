#include "models/predictor/farm_costs.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace loadshare::predictor {

namespace {

/// How much processor time the master's own thread took, and what for.
struct Serving {
  double cpu_s = 0;
  double chunks = 0;  // that came by messages
  double run_s = 0;
};

bool is_master(const RankRecord& rank) {
  return rank.role == Role::master || rank.role == Role::working_master;
}

/// A master that spins or yields while it waits uses its processor for nothing.
bool naps(const RunRecord& run) {
  const auto wait = run.options.find("wait_in_force");
  return wait != run.options.end() && wait->second == OptionValue(std::string("nap"));
}

Serving serving_of(const RunRecord& run) {
  if (!naps(run)) return {};
  Serving serving{0, 0, run.makespan_s};
  const auto master = std::ranges::find_if(run.ranks, is_master);
  if (master == run.ranks.end()) return {};
  serving.cpu_s = master->coordinating_cpu_s;
  for (const RankRecord& rank : run.ranks)
    if (rank.host != master->host) serving.chunks += static_cast<double>(rank.chunks);
  return serving;
}

/// Least squares of cpu = a chunks + b run, neither negative, each run relative to its processor time.
struct Solution {
  double per_chunk = 0;
  double per_second = 0;
};

Solution solve(const std::vector<Serving>& runs) {
  double xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
  for (const Serving& run : runs) {
    const double x = run.chunks / run.cpu_s, y = run.run_s / run.cpu_s;
    xx += x * x, xy += x * y, yy += y * y, xt += x, yt += y;
  }
  const double determinant = xx * yy - xy * xy;
  if (determinant > 1e-9 * xx * yy) {
    const Solution both{(xt * yy - yt * xy) / determinant, (yt * xx - xt * xy) / determinant};
    if (both.per_chunk >= 0 && both.per_second >= 0) return both;
  }
  return {xt / xx, 0};
}

}  // namespace

FarmCosts fit_farm_costs(std::span<const RunRecord> runs) {
  std::vector<Serving> servings;
  for (const RunRecord& run : runs)
    if (const Serving serving = serving_of(run); serving.cpu_s > 0 && serving.chunks > 0)
      servings.push_back(serving);
  FarmCosts costs;
  if (servings.empty()) return costs;
  const Solution solution = solve(servings);
  costs.report_s = costs.order_s = solution.per_chunk / 2;
  costs.looking_share = std::min(solution.per_second, 0.5);
  return costs;
}

}  // namespace loadshare::predictor
