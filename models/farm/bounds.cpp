#include "models/farm/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace loadshare::predictor {
namespace {

/// A processor, and how much of the work in question it does in a second when it is undisturbed.
struct Supply {
  double speed = 1;
  const Availability* load = nullptr;
  const std::optional<CpuQuota>* grant = nullptr;
  Stay stay = {};

  /// No more work can be done between the two, whatever the phases of a limit are: its group begins with a
  /// whole period's grant, which it may use up just before the next one is due, and may run ahead by a tick.
  /// (A load takes from what is granted anew, and slows no group that still has some.)
  double most_work(double from_s, double until_s) const {
    from_s = std::max(from_s, stay.from_s);
    // Who leaves first ends its chunk, however long that is.
    if (stay.end == Stay::End::is_lost) until_s = std::min(until_s, stay.until_s);
    if (until_s <= from_s) return 0;
    if (!*grant || (*grant)->share >= 1) return speed * load->work_s(from_s, until_s);
    const CpuQuota& limit = **grant;
    const double at_once_s = (2 - limit.share) * limit.share * limit.period_s + limit.tick_s;
    const double elapsed_s = until_s - from_s;
    return speed * std::min(elapsed_s, limit.share * load->most_rate() * elapsed_s + at_once_s);
  }
  double long_run_speed() const {
    return speed * (*grant ? std::min((*grant)->share, 1.0) : 1) * load->mean_rate();
  }
};

double most_work(const std::vector<Supply>& supplies, double from_s, double until_s) {
  double sum = 0;
  for (const Supply& supply : supplies) sum += supply.most_work(from_s, until_s);
  return sum;
}

/// No sooner than then the supplies can have done the work: false position between two instants, of which the
/// earlier is too early.
double earliest_s(const std::vector<Supply>& supplies, double work) {
  constexpr double close = 1e-9;
  double speed = 0;
  for (const Supply& supply : supplies) speed += supply.long_run_speed();
  if (!(work > 0)) return 0;
  double early_s = 0, late_s = work / speed;
  double early_work = 0, late_work = most_work(supplies, 0, late_s);
  constexpr double latest_s = 1e30;  // the lost may have done what no others can do again
  while (late_work < work && late_s < latest_s) {
    early_s = std::exchange(late_s, 2 * late_s), early_work = late_work;
    late_work = most_work(supplies, 0, late_s);
  }
  constexpr int most_steps = 40;
  for (int step = 0; step < most_steps && late_s - early_s > close * late_s; ++step) {
    // Now and then by halves, for where the work does not grow evenly.
    const double part = step % 3 == 2 ? 0.5 : (work - early_work) / (late_work - early_work);
    const double at_s = early_s + part * (late_s - early_s);
    const double done = most_work(supplies, 0, at_s);
    if (std::abs(done - work) <= close * work) return at_s * (1 - close);
    if (done < work)
      early_s = at_s, early_work = done;
    else
      late_s = at_s, late_work = done;
  }
  return early_s;
}

std::vector<Supply> workers_of(const Scenario& scenario) {
  std::vector<Supply> supplies;
  supplies.reserve(scenario.workers.size());
  // In chunks of the cheapest kind.
  for (const WorkerModel& worker : scenario.workers)
    supplies.push_back(
        {worker.speed / scenario.widths[worker.width].least(), &worker.load, &worker.grant, worker.stay});
  return supplies;
}

Supply master_of(const Scenario& scenario) {
  const MasterModel& master = scenario.master;
  if (!master.own_worker) return {1, &master.load, &master.grant};
  const WorkerModel& own = scenario.workers[*master.own_worker];
  return {1, &own.load, &own.grant};
}

}  // namespace

std::string_view name_of(Bound bound) {
  constexpr std::array<std::string_view, 5> names{"work", "master", "network", "last chunk", "waiting"};
  return names[static_cast<std::size_t>(bound)];
}

Bounds bounds_of(const Scenario& scenario, const Outcome& outcome) {
  Bounds bounds;
  bounds.work_s = earliest_s(workers_of(scenario), outcome.work_s.value_or(scenario.loop.total_s()));
  bounds.master_s = earliest_s({master_of(scenario)}, outcome.master_busy_s);
  // What a port that was silent lets pass at once.
  bounds.network_s =
      std::max(0.0, std::max(outcome.port_in_busy_s, outcome.port_out_busy_s) - scenario.port_burst_s);
  return bounds;
}

double tail_s(const Outcome& outcome) {
  double sum_s = 0;
  for (std::size_t i = 0; i < outcome.workers.size(); ++i)
    sum_s += outcome.stay_of(i).until_s - std::max(outcome.stay_of(i).from_s, outcome.workers[i].last_end_s);
  return outcome.workers.empty() ? 0 : sum_s / static_cast<double>(outcome.workers.size());
}

Bound binding_bound(const Bounds& bounds, const Outcome& outcome) {
  constexpr double most = 0.8;  // of the run: nothing else can be in the way as long
  if (bounds.master_s > most * outcome.makespan_s && bounds.master_s >= bounds.work_s) return Bound::master;
  if (bounds.network_s > most * outcome.makespan_s && bounds.network_s >= bounds.work_s)
    return Bound::network;
  const double lost_s = outcome.makespan_s - bounds.work_s;
  if (tail_s(outcome) > 0.5 * lost_s && lost_s > 0.05 * outcome.makespan_s) return Bound::last_chunk;
  return busy_share(outcome) < 0.5 ? Bound::waiting : Bound::work;
}

double busy_share(const Outcome& outcome) {
  double sum_s = 0, all_s = 0;
  for (std::size_t i = 0; i < outcome.workers.size(); ++i) {
    sum_s += outcome.workers[i].computing_s;
    all_s += outcome.stay_of(i).until_s - outcome.stay_of(i).from_s;
  }
  return all_s > 0 ? std::min(1.0, sum_s / all_s) : 0;
}

}  // namespace loadshare::predictor
