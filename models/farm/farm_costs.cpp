#include "models/farm/farm_costs.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace loadshare::predictor {
namespace {

/// How much processor time a rank's own part in the farm took, and what for.
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

const RankRecord* master_of(const RunRecord& run) {
  const auto master = std::ranges::find_if(run.ranks, is_master);
  return master == run.ranks.end() ? nullptr : &*master;
}

/// What the master does for all workers on other hosts.
Serving serving_of_master(const RunRecord& run, const RankRecord& master) {
  Serving serving{master.coordinating_cpu_s, 0, run.makespan_s};
  for (const RankRecord& rank : run.ranks)
    if (rank.host != master.host) serving.chunks += static_cast<double>(rank.chunks);
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
  std::vector<Serving> masters, workers;
  const auto add = [](const Serving& serving, std::vector<Serving>& servings) {
    if (serving.cpu_s > 0 && serving.chunks > 0) servings.push_back(serving);
  };
  for (const RunRecord& run : runs) {
    const RankRecord* master = master_of(run);
    if (!naps(run) || !master) continue;
    add(serving_of_master(run, *master), masters);
    for (const RankRecord& rank : run.ranks)
      if (rank.host != master->host)
        add({rank.coordinating_cpu_s, static_cast<double>(rank.chunks), run.makespan_s}, workers);
  }
  FarmCosts costs;
  if (!masters.empty()) {
    const Solution solution = solve(masters);
    costs.report_s = costs.order_s = solution.per_chunk / 2;
    costs.polling_share = std::min(solution.per_second, 0.5);
  }
  if (!workers.empty()) costs.worker_report_s = solve(workers).per_chunk;
  return costs;
}

double journal_each_s(std::span<const RunRecord> runs) {
  double cpu_s = 0, kept = 0;
  for (const RunRecord& run : runs) {
    if (!run.journal || run.journal->cpu_s <= 0) continue;
    cpu_s += run.journal->cpu_s;
    kept += static_cast<double>(run.journal->kept);
  }
  return kept > 0 ? cpu_s / kept : 0;
}

}  // namespace loadshare::predictor
