#include "models/farm/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/statistics.hpp"
#include "models/farm/farm_simulation.hpp"

namespace loadshare::predictor {
namespace {

/// A processor, and how much of the work in question it does in a second when it is undisturbed.
struct Supply {
  double speed = 1;
  const Availability* load = nullptr;
  const std::optional<CpuQuota>* grant = nullptr;

  /// No more work can be done until then, whatever the phases of a limit are: its group begins with a whole
  /// period's grant, which it may use up just before the next one is due, and may run ahead by a tick.
  double most_work(double until_s) const {
    const double free_s = load->work_s(0, until_s);
    if (!*grant || (*grant)->share >= 1) return speed * free_s;
    const CpuQuota& limit = **grant;
    const double at_once_s = (2 - limit.share) * limit.share * limit.period_s + limit.tick_s;
    return speed * std::min(free_s, limit.share * until_s + at_once_s);
  }
  double long_run_speed() const {
    return speed * (*grant ? std::min((*grant)->share, 1.0) : 1) * load->mean_rate();
  }
};

double most_work(const std::vector<Supply>& supplies, double until_s) {
  double sum = 0;
  for (const Supply& supply : supplies) sum += supply.most_work(until_s);
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
  double early_work = 0, late_work = most_work(supplies, late_s);
  while (late_work < work) {
    early_s = std::exchange(late_s, 2 * late_s), early_work = late_work;
    late_work = most_work(supplies, late_s);
  }
  constexpr int most_steps = 40;
  for (int step = 0; step < most_steps && late_s - early_s > close * late_s; ++step) {
    // Now and then by halves, for where the work does not grow evenly.
    const double part = step % 3 == 2 ? 0.5 : (work - early_work) / (late_work - early_work);
    const double at_s = early_s + part * (late_s - early_s);
    const double done = most_work(supplies, at_s);
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
    supplies.push_back({worker.speed / scenario.widths[worker.width].least(), &worker.load, &worker.grant});
  return supplies;
}

Supply master_of(const Scenario& scenario) {
  const MasterModel& master = scenario.master;
  if (!master.own_worker) return {1, &master.load, &master.grant};
  const WorkerModel& own = scenario.workers[*master.own_worker];
  return {1, &own.load, &own.grant};
}

LoopShape shape_of(const Scenario& scenario) {
  return {scenario.loop.iterations(), static_cast<Index>(scenario.workers.size())};
}

double busy_share(const Outcome& outcome) {
  double sum_s = 0;
  for (const WorkerOutcome& worker : outcome.workers) sum_s += worker.computing_s;
  const double all_s = outcome.makespan_s * static_cast<double>(outcome.workers.size());
  return all_s > 0 ? std::min(1.0, sum_s / all_s) : 0;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void fill_interval(Prediction& prediction) {
  prediction.makespan_s = quantile_of(prediction.makespans_s, 0.5);
  prediction.low_s = quantile_of(prediction.makespans_s, 0.05);
  prediction.high_s = quantile_of(prediction.makespans_s, 0.95);
}

double median_ratio(const Prediction& one, const Prediction& best) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.makespans_s.size(); ++i)
    ratios.push_back(one.makespans_s[i] / best.makespans_s[i]);
  return median_of(std::move(ratios));
}

std::ptrdiff_t place_in(const SchedulerTable& table, const std::string& spec) {
  const std::string technique = table.parse(spec).name;
  return std::ranges::find(table.entries(), technique, &SchedulerEntry::name) - table.entries().begin();
}

constexpr std::size_t most_counts = 16;

std::vector<std::size_t> counts_to_try(std::size_t fewest, std::size_t all) {
  std::vector<std::size_t> counts;
  const double ratio = static_cast<double>(all) / static_cast<double>(fewest);
  for (std::size_t row = 0; row < most_counts; ++row) {
    const double part = static_cast<double>(row) / (most_counts - 1);
    const auto step =
        static_cast<std::size_t>(std::lround(static_cast<double>(fewest) * std::pow(ratio, part)));
    counts.push_back(all <= most_counts ? std::min(fewest + row, all) : step);
  }
  const auto [first, last] = std::ranges::unique(counts);
  counts.erase(first, last);
  return counts;
}

/// The first hosts of the list, the master's in any case.
FarmSetting first_hosts(FarmSetting setting, std::size_t count) {
  for (std::size_t rank = 0; rank < setting.hosts.size(); ++rank)
    setting.hosts[rank].load_rank = static_cast<int>(rank);
  if (setting.master_rank >= count) {
    std::swap(setting.hosts[count - 1], setting.hosts[setting.master_rank]);
    setting.master_rank = count - 1;
  }
  setting.hosts.resize(count);
  return setting;
}

HostCount best_for(const FarmModel& model, const FarmSetting& all, const Network& network,
                   const SchedulerTable& table, const std::vector<std::string>& schedulers, std::size_t count,
                   std::size_t replicates) {
  const FarmSetting setting = first_hosts(all, count);
  const Predictor predictor(
      table, [&](std::uint64_t replicate) { return make_scenario(model, setting, network, replicate); },
      has_chance(model, setting) ? replicates : 1);
  std::vector<Prediction> predictions;
  const auto workers = static_cast<Index>(predictor.middle().workers.size());
  for (const std::string& spec :
       schedulers.empty() ? table.candidates({model.iterations, workers}) : schedulers)
    predictions.push_back(predictor.predict(spec));
  const Prediction& chosen = predictions[choose(predictions, table).chosen];
  return {count, chosen.scheduler, chosen.makespan_s, 0};
}

}  // namespace

std::string_view name_of(Bound bound) {
  constexpr std::array<std::string_view, 4> names{"work", "master", "network", "last chunk"};
  return names[static_cast<std::size_t>(bound)];
}

Bounds bounds_of(const Scenario& scenario, const Outcome& outcome) {
  Bounds bounds;
  bounds.work_s = earliest_s(workers_of(scenario), scenario.loop.total_s());
  bounds.master_s = earliest_s({master_of(scenario)}, outcome.master_busy_s);
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

Predictor::Predictor(const SchedulerTable& schedulers, Replicates make, std::size_t replicates)
    : schedulers_(schedulers), make_(std::move(make)), replicates_(replicates), middle_(make_(0)) {}

Outcome Predictor::run(const Scenario& scenario, const std::string& spec, std::uint64_t number) const {
  return FarmSimulation(scenario, schedulers_.make(spec, shape_of(scenario)), number).run();
}

Prediction Predictor::predict(const std::string& spec) const {
  Prediction prediction;
  prediction.scheduler = schedulers_.parse(spec).text();
  const Outcome middle = run(middle_, spec, 0);
  prediction.bounds = bounds_of(middle_, middle);
  prediction.bound = binding_bound(prediction.bounds, middle);
  std::vector<double> busy, messages;
  const auto add = [&](const Outcome& outcome) {
    prediction.makespans_s.push_back(outcome.makespan_s);
    busy.push_back(busy_share(outcome));
    messages.push_back(static_cast<double>(outcome.messages));
  };
  if (replicates_ < 2) add(middle);
  for (std::uint64_t i = 1; replicates_ > 1 && i <= replicates_; ++i) add(run(make_(i), spec, i));
  prediction.busy = mean(busy);
  prediction.idle = 1 - prediction.busy;
  prediction.messages = mean(messages);
  fill_interval(prediction);
  return prediction;
}

std::vector<ChunkRecord> Predictor::chunks(const std::string& spec, std::size_t most) const {
  std::vector<ChunkRecord> chunks;
  FarmSimulation simulation(middle_, schedulers_.make(spec, shape_of(middle_)));
  simulation.on_chunk([&](const ChunkRecord& chunk) {
    if (chunks.size() < most) chunks.push_back(chunk);
  });
  simulation.run();
  return chunks;
}

Choice choose(std::span<const Prediction> predictions, const SchedulerTable& table) {
  Choice choice;
  const auto best = std::ranges::min_element(predictions, {}, &Prediction::makespan_s);
  choice.best = static_cast<std::size_t>(best - predictions.begin());
  for (std::size_t i = 0; i < predictions.size(); ++i)
    if (i == choice.best || median_ratio(predictions[i], *best) <= level_ratio) choice.level.push_back(i);
  choice.chosen = *std::ranges::min_element(choice.level, {}, [&](std::size_t i) {
    return std::pair(place_in(table, predictions[i].scheduler), predictions[i].makespan_s);
  });
  return choice;
}

std::vector<HostCount> predict_host_counts(const FarmModel& model, const FarmSetting& setting,
                                           const Network& network, const SchedulerTable& table,
                                           const std::vector<std::string>& schedulers,
                                           std::size_t replicates) {
  std::vector<HostCount> rows;
  const std::size_t fewest = setting.master_works ? 1 : 2;
  for (const std::size_t count : counts_to_try(fewest, setting.hosts.size())) {
    HostCount row = best_for(model, setting, network, table, schedulers, count, replicates);
    if (!rows.empty()) {
      const HostCount& before = rows.back();
      row.gain = (1 - row.makespan_s / before.makespan_s) / static_cast<double>(count - before.hosts);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const HostCount& enough_hosts(const std::vector<HostCount>& counts) {
  constexpr double close = 1.05;
  const double best_s = std::ranges::min_element(counts, {}, &HostCount::makespan_s)->makespan_s;
  return *std::ranges::find_if(counts,
                               [=](const HostCount& row) { return row.makespan_s <= close * best_s; });
}

}  // namespace loadshare::predictor
