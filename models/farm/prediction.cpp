#include "models/farm/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/statistics.hpp"
#include "models/farm/farm_simulation.hpp"

namespace loadshare::predictor {
namespace {

/// What a chunk takes beside computing where nothing else is under way.
double overhead_s(const Scenario& scenario, const WorkerModel& worker) {
  using enum communication::SendMode;
  using enum communication::ReceivePosted;
  const ServingCosts& serving = scenario.master.serving(worker);
  const double served_s = serving.order_s + serving.report_s + serving.polling_latency_s;
  const double at_worker_s = worker.report_s + worker.polling_latency_s;
  if (!worker.link) return served_s + at_worker_s;
  const auto& link = *scenario.links[*worker.link];
  return served_s + at_worker_s + link.receiver_s(standard, before, scenario.bytes.order) +
         link.receiver_s(standard, before, scenario.bytes.report);
}

/// What a run of the loop would find as it begins: means over the workers, undisturbed.
LoopTimes times_of(const Scenario& scenario) {
  double speeds = 0, overheads_s = 0, workers = 0;
  for (const WorkerModel& worker : scenario.workers) {
    if (worker.stay.is_late()) continue;
    speeds += worker.speed;
    overheads_s += overhead_s(scenario, worker);
    ++workers;
  }
  const auto iterations = static_cast<double>(scenario.loop.iterations());
  if (!(speeds > 0 && iterations > 0)) return {};
  const double mean_s = scenario.loop.total_s() / iterations * workers / speeds;
  return {.mean_s = mean_s,
          .deviation_s = mean_s * scenario.reported_deviation,
          .overhead_s = overheads_s / workers};
}

/// Runs task(0) to task(count - 1), `at_once` at a time, or fewer if the system refuses threads. Rethrows the
/// exception of the first task that failed, in their order.
void in_parallel(std::size_t count, std::size_t at_once, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(count);
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) try {
        task(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < std::min(at_once, count)) others.emplace_back(work);
    } catch (const std::system_error&) {  // the other threads do all of it, and take longer
    }
    work();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

/// The scenarios of runs that are sorted by their replicates: each is made by the first that asks, and kept
/// until the last has had it.
class SharedScenarios {
 public:
  using Make = std::function<Scenario(std::size_t)>;

  SharedScenarios(const std::vector<Race::Run>& runs, std::size_t replicates, Make make)
      : make_(std::move(make)), slots_(replicates) {
    for (const Race::Run& run : runs) ++slots_[run.replicate].wanted;
  }

  std::shared_ptr<const Scenario> take(std::size_t replicate) {
    Slot& slot = slots_[replicate];
    const std::lock_guard lock(slot.mutex);
    if (!slot.scenario) slot.scenario = std::make_shared<const Scenario>(make_(replicate));
    return --slot.wanted > 0 ? slot.scenario : std::move(slot.scenario);
  }

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const Scenario> scenario;
    std::size_t wanted = 0;
  };

  Make make_;
  std::vector<Slot> slots_;
};

/// Whether a run will surely take longer than that: iterations that nobody has yet are computed from now on.
/// (Of chunks that scatter, three standard deviations are allowed for.)
bool takes_longer(const FarmSimulation& simulation, const Scenario& scenario,
                  const std::vector<Supply>& workers, double than_s) {
  if (simulation.now_s() > than_s) return true;
  const Index left = simulation.unassigned();
  if (left == 0) return false;
  constexpr double deviations = 3;
  const ChunkScatter& scatter = scenario.scatter;
  const double variance = scatter.chunk_variance / static_cast<double>(workers.size()) +
                          scatter.iteration_variance / static_cast<double>(left);
  const double work = scenario.loop.seconds({scenario.loop.iterations() - left, left}) *
                      (1 - deviations * std::sqrt(variance));
  return most_work(workers, simulation.now_s(), than_s) < work;
}

Bounds least(const Bounds& one, const Bounds& other) {
  return {std::min(one.work_s, other.work_s), std::min(one.master_s, other.master_s),
          std::min(one.network_s, other.network_s)};
}

/// The median, over the replicates that both have run to their end.
double ratio_of_pairs(const auto& ones, const auto& others) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ones.size(); ++i)
    if (ones[i].is_whole && others[i].is_whole) ratios.push_back(ones[i].makespan_s / others[i].makespan_s);
  return median_of(ratios);
}

/// Its bounds are those of few replicates, which may have been slow ones.
void take_time(Prediction& left, double makespan_s) {
  left.makespan_s = left.low_s = left.high_s = makespan_s;
  left.bounds = least(left.bounds, {makespan_s, makespan_s, makespan_s});
}

std::size_t best_of(std::span<const Prediction> predictions) {
  const auto best = std::ranges::min_element(
      predictions, {}, [](const Prediction& one) { return std::pair(one.has_left, one.makespan_s); });
  return static_cast<std::size_t>(best - predictions.begin());
}

bool is_level(const Prediction& one, const Prediction& best) {
  if (one.has_left || one.makespan_s > level_ratio * best.makespan_s) return false;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.makespans_s.size(); ++i)
    ratios.push_back(one.makespans_s[i] / best.makespans_s[i]);
  return median_of(ratios) <= level_ratio;
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
                   const SchedulerTable& table, const std::vector<std::string>& schedulers, std::size_t hosts,
                   std::size_t replicates, int cores, RunCount* count) {
  const FarmSetting setting = first_hosts(all, hosts);
  const Predictor predictor(
      table, [&](std::uint64_t replicate) { return make_scenario(model, setting, network, replicate); },
      has_chance(model, setting, network) ? replicates : 1, cores, count);
  const std::vector<Prediction> predictions =
      schedulers.empty() ? predictor.race(table.candidates(facts_of(predictor.middle())))
                         : predictor.predict(schedulers);
  const Prediction& chosen = predictions[choose(predictions, table).chosen];
  return {hosts, chosen.scheduler, chosen.makespan_s, 0};
}

}  // namespace

LoopFacts facts_of(const Scenario& scenario) {
  LoopFacts facts{.iterations = scenario.loop.iterations(), .times = times_of(scenario)};
  for (const WorkerModel& worker : scenario.workers)
    if (!worker.stay.is_late()) facts.weights.push_back(worker.granted_share());
  facts.workers = std::max<Index>(1, std::ssize(facts.weights));
  return facts;
}

Predictor::Predictor(const SchedulerTable& schedulers, Replicates make, std::size_t replicates, int cores,
                     RunCount* count)
    : schedulers_(schedulers),
      make_(std::move(make)),
      replicates_(replicates),
      cores_(cores),
      count_(count),
      middle_(make_(0)) {}

Prediction Predictor::predict(const std::string& spec) const {
  return predict(std::vector{spec}).front();
}

std::vector<Prediction> Predictor::predict(const std::vector<std::string>& specs) const {
  std::vector<Race::Run> runs;
  Table figures(specs.size(), std::vector<Figures>(std::max<std::size_t>(replicates_, 1)));
  for (std::size_t replicate = 0; replicate < figures.front().size(); ++replicate)
    for (std::size_t spec = 0; spec < specs.size(); ++spec) runs.push_back({spec, replicate});
  simulate(runs, specs, figures);
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < specs.size(); ++i) predictions.push_back(summary(specs[i], figures[i]));
  return predictions;
}

std::vector<Prediction> Predictor::race(const std::vector<std::string>& specs) const {
  Table figures(specs.size(), std::vector<Figures>(std::max<std::size_t>(replicates_, 1)));
  Race race(specs.size(), figures.front().size());
  for (auto runs = race.next(); !runs.empty(); runs = race.next()) {
    simulate(runs, specs, figures);
    for (const Race::Run& run : runs) {
      const Figures& one = figures[run.candidate][run.replicate];
      race.took(run, one.makespan_s, one.is_whole);
    }
  }
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < specs.size(); ++i) predictions.push_back(summary(specs[i], figures[i]));
  const std::size_t best = best_of(predictions);
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (predictions[i].has_left)
      take_time(predictions[i], predictions[best].makespan_s *
                                    std::max(level_ratio, ratio_of_pairs(figures[i], figures[best])));
  return predictions;
}

// Many hosts want much memory, so few runs of them go at a time.
void Predictor::simulate(const std::vector<Race::Run>& runs, const std::vector<std::string>& specs,
                         Table& figures) const {
  constexpr std::size_t most_workers = 1 << 20;
  const std::size_t workers = std::max<std::size_t>(middle_.workers.size(), 1);
  const std::size_t at_once =
      std::clamp<std::size_t>(most_workers / workers, 1, static_cast<std::size_t>(cores_));
  SharedScenarios scenarios(runs, figures.front().size(),
                            [this](std::size_t replicate) { return make_(number_of(replicate)); });
  in_parallel(runs.size(), at_once, [&](std::size_t i) {
    const Race::Run& run = runs[i];
    const auto scenario = scenarios.take(run.replicate);
    figures[run.candidate][run.replicate] = simulated(*scenario, specs[run.candidate], run);
    if (count_ != nullptr) ++*count_;
  });
}

Predictor::Figures Predictor::simulated(const Scenario& scenario, const std::string& spec,
                                        const Race::Run& run) const {
  FarmSimulation simulation(scenario, schedulers_.make(spec, facts_of(scenario)), number_of(run.replicate));
  const std::vector<Supply> workers = workers_of(scenario);
  const std::optional<Outcome> outcome = simulation.run_while(
      [&] { return std::isinf(run.enough_s) || !takes_longer(simulation, scenario, workers, run.enough_s); });
  Figures figures;
  figures.makespan_s = run.enough_s;
  if (!outcome) return figures;
  figures.makespan_s = outcome->makespan_s;
  figures.busy = busy_share(*outcome);
  figures.messages = static_cast<double>(outcome->messages);
  figures.bounds = bounds_of(scenario, *outcome);
  figures.bound = binding_bound(figures.bounds, *outcome);
  figures.lost_iterations = static_cast<double>(outcome->lost_iterations);
  figures.lost_s = outcome->lost_s;
  figures.most_at_once = outcome->most_at_once;
  figures.is_whole = true;
  return figures;
}

Prediction Predictor::summary(const std::string& spec, const std::vector<Figures>& replicates) const {
  Prediction prediction;
  prediction.scheduler = schedulers_.parse(spec).text();
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    const Figures& one = replicates[i];
    if (!one.is_whole) continue;
    const bool is_first = order.empty();
    order.emplace_back(one.makespan_s, i);
    prediction.makespans_s.push_back(one.makespan_s);
    prediction.busy += one.busy;
    prediction.messages += one.messages;
    prediction.lost_iterations += one.lost_iterations;
    prediction.lost_s += one.lost_s;
    prediction.most_at_once = std::max(prediction.most_at_once, one.most_at_once);
    prediction.bounds = is_first ? one.bounds : least(prediction.bounds, one.bounds);
  }
  const auto count = static_cast<double>(order.size());
  prediction.busy /= count;
  prediction.idle = 1 - prediction.busy;
  prediction.messages /= count;
  prediction.lost_iterations /= count;
  prediction.lost_s /= count;
  const auto middle = order.begin() + (std::ssize(order) - 1) / 2;
  std::ranges::nth_element(order, middle);
  prediction.bound = replicates[middle->second].bound;
  prediction.middle_number = number_of(middle->second);
  prediction.makespan_s = quantile_of(prediction.makespans_s, 0.5);
  const Interval interval = prediction_interval(prediction.makespans_s);
  prediction.low_s = std::min(interval.low, middle->first);
  prediction.high_s = std::max(interval.high, prediction.makespan_s);
  prediction.has_left = order.size() < replicates.size();
  return prediction;
}

std::vector<ChunkRecord> Predictor::chunks(const Prediction& of, std::size_t most) const {
  std::vector<ChunkRecord> chunks;
  const Scenario scenario = make_(of.middle_number);
  FarmSimulation simulation(scenario, schedulers_.make(of.scheduler, facts_of(scenario)), of.middle_number);
  const auto wants_more = [&] { return chunks.size() < most && !simulation.has_bundled(); };
  simulation.on_chunk([&](const ChunkRecord& chunk) {
    if (wants_more()) chunks.push_back(chunk);
  });
  simulation.run_while(wants_more);
  return chunks;
}

Choice choose(std::span<const Prediction> predictions, const SchedulerTable& table) {
  Choice choice;
  choice.best = best_of(predictions);
  const Prediction& best = predictions[choice.best];
  for (std::size_t i = 0; i < predictions.size(); ++i)
    if (i == choice.best || is_level(predictions[i], best)) choice.level.push_back(i);
  choice.chosen = *std::ranges::min_element(choice.level, {}, [&](std::size_t i) {
    return std::pair(place_in(table, predictions[i].scheduler), predictions[i].makespan_s);
  });
  return choice;
}

std::string contradiction_in(std::span<const Prediction> predictions, const Choice& choice) {
  constexpr double rounding = 1e-6;
  const auto is_before = [](double one_s, double other_s) { return one_s < other_s * (1 - rounding); };
  const Prediction& best = predictions[choice.best];
  for (const Prediction& one : predictions) {
    const double bound_s = std::max({one.bounds.work_s, one.bounds.master_s, one.bounds.network_s});
    const double least_s = std::min(one.makespan_s, std::ranges::min(one.makespans_s));
    if (is_before(least_s, bound_s))
      return fmt::format("{} ends after {} s, no run of it before {} s", one.scheduler, least_s, bound_s);
    if (one.makespan_s < one.low_s || one.high_s < one.makespan_s)
      return fmt::format("{}'s {} s are not between {} and {} s", one.scheduler, one.makespan_s, one.low_s,
                         one.high_s);
    if (one.makespan_s < best.makespan_s)
      return fmt::format("{} is better than the best, {}", one.scheduler, best.scheduler);
  }
  for (const std::size_t i : choice.level)
    if (is_before(level_ratio * best.makespan_s, predictions[i].makespan_s))
      return fmt::format("{} is no tie with {}", predictions[i].scheduler, best.scheduler);
  return "";
}

WithoutChanges predict_without_changes(const FarmModel& model, const FarmSetting& setting,
                                       const Network& network, const SchedulerTable& table,
                                       const std::string& spec, std::size_t replicates, int cores,
                                       RunCount* count) {
  const auto makespan_s = [&](const FarmModel& its, const FarmSetting& hosts) {
    const Predictor predictor(
        table, [&](std::uint64_t replicate) { return make_scenario(its, hosts, network, replicate); },
        has_chance(its, hosts, network) ? replicates : 1, cores, count);
    return predictor.predict(spec).makespan_s;
  };
  FarmModel unkept = model;
  unkept.costs.journal_each_s = 0;
  FarmSetting unchanged = setting;
  std::erase_if(unchanged.hosts, [](const HostModel& host) { return host.stay.is_late(); });
  for (HostModel& host : unchanged.hosts) host.stay = {};
  WithoutChanges without{makespan_s(unkept, unchanged)};
  if (model.costs.journal_each_s > 0) without.without_journal_s = makespan_s(unkept, setting);
  return without;
}

std::vector<HostCount> predict_host_counts(const FarmModel& model, const FarmSetting& setting,
                                           const Network& network, const SchedulerTable& table,
                                           const std::vector<std::string>& schedulers, std::size_t replicates,
                                           int cores, RunCount* count) {
  std::vector<HostCount> rows;
  const std::size_t fewest = setting.master_works ? 1 : 2;
  for (const std::size_t hosts : counts_to_try(fewest, setting.hosts.size())) {
    HostCount row = best_for(model, setting, network, table, schedulers, hosts, replicates, cores, count);
    if (!rows.empty()) {
      const HostCount& before = rows.back();
      row.gain = (1 - row.makespan_s / before.makespan_s) / static_cast<double>(hosts - before.hosts);
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
