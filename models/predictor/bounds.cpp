#include "models/predictor/bounds.hpp"

#include <algorithm>

namespace loadshare::predictor {

namespace {

double long_run_speed(const WorkerModel& worker, const Scenario& scenario) {
  const double share = worker.grant ? std::min(worker.grant->share, 1.0) : 1;
  // In chunks of the widest kind: no others are cheaper.
  const double factor = scenario.widths[worker.width].at(scenario.loop.iterations());
  return worker.speed * share * worker.load.mean_rate() / factor;
}

double master_rate(const Scenario& scenario) {
  const MasterModel& master = scenario.master;
  const auto& grant = master.own_worker ? scenario.workers[*master.own_worker].grant : master.grant;
  const auto& load = master.own_worker ? scenario.workers[*master.own_worker].load : master.load;
  return (grant ? std::min(grant->share, 1.0) : 1) * load.mean_rate();
}

}  // namespace

std::string_view name_of(Bound bound) {
  constexpr std::array<std::string_view, 4> names{"work", "master", "network", "last chunk"};
  return names[static_cast<std::size_t>(bound)];
}

Bounds bounds_of(const Scenario& scenario, const Outcome& outcome) {
  Bounds bounds;
  double speed = 0;
  for (const WorkerModel& worker : scenario.workers) speed += long_run_speed(worker, scenario);
  bounds.work_s = scenario.loop.total_s() / speed;
  bounds.master_s = outcome.master_busy_s / master_rate(scenario);
  bounds.network_s = std::max(outcome.port_in_busy_s, outcome.port_out_busy_s);
  return bounds;
}

double tail_s(const Outcome& outcome) {
  double sum_s = 0;
  for (const WorkerOutcome& worker : outcome.workers) sum_s += outcome.makespan_s - worker.last_end_s;
  return outcome.workers.empty() ? 0 : sum_s / static_cast<double>(outcome.workers.size());
}

Bound binding_bound(const Bounds& bounds, const Outcome& outcome) {
  constexpr double most = 0.8;  // of the run: nothing else can be in the way as long
  if (bounds.master_s > most * outcome.makespan_s && bounds.master_s >= bounds.work_s) return Bound::master;
  if (bounds.network_s > most * outcome.makespan_s && bounds.network_s >= bounds.work_s)
    return Bound::network;
  const double lost_s = outcome.makespan_s - bounds.work_s;
  return tail_s(outcome) > 0.5 * lost_s && lost_s > 0.05 * outcome.makespan_s ? Bound::last_chunk
                                                                              : Bound::work;
}

}  // namespace loadshare::predictor
