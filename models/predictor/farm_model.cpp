#include "models/predictor/farm_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "models/predictor/random.hpp"
#include "models/predictor/shared_input_model.hpp"
#include "schedulers/error.hpp"

namespace loadshare::predictor {

namespace {

void require_hosts(const FarmSetting& setting) {
  if (setting.master_rank >= setting.hosts.size())
    throw UsageError("the master is rank " + std::to_string(setting.master_rank),
                     "there are " + std::to_string(setting.hosts.size()) + " hosts, counted from 0",
                     "give the place of one of them");
  for (const HostModel& host : setting.hosts)
    if (!(host.speed > 0) || !std::isfinite(host.speed) || !(host.available > 0))
      throw UsageError("host " + host.name + " has a speed of " + std::to_string(host.speed * host.available),
                       "it would never end a chunk", "leave it out, or give it a speed above 0");
  if (!setting.master_works && setting.hosts.size() < 2)
    throw UsageError("a master that only coordinates, and no other host", "nobody is left to work",
                     "let the master work, or give more hosts");
}

Availability load_of(const FarmSetting& setting, std::size_t rank, bool computes, std::uint64_t replicate) {
  const int load_rank = setting.hosts[rank].load_rank.value_or(static_cast<int>(rank));
  if (setting.load && setting.load->loads(load_rank, computes)) {
    LoadSpec spec = *setting.load;
    if (!setting.knows_phases) spec.seed += replicate;
    return Availability(spec.plan_for(load_rank));
  }
  const double available = setting.hosts[rank].available;
  return available < 1 ? Availability(LoadPlan::constant(1 - available)) : Availability();
}

double share_of(const HostModel& host) {
  return host.grant ? std::min(host.grant->share, 1.0) : 1;
}

/// Gives each worker its link and its factor, and lists each of them once.
class WorkerBuilder {
 public:
  WorkerBuilder(const FarmModel& model, const FarmSetting& setting, const Network& network,
                Scenario& scenario)
      : model_(model), setting_(setting), network_(network), scenario_(scenario) {}

  void add(std::size_t rank, std::uint64_t replicate) {
    const HostModel& host = setting_.hosts[rank];
    WorkerModel worker;
    worker.speed = host.speed * speed_seen(host.name);
    worker.width = width_of(share_of(host));
    if (!model_.loop.waits) {
      worker.load = load_of(setting_, rank, true, replicate);
      worker.grant = granted(host);
    }
    if (host.name != master().name) {
      worker.link = link_to(host);
      worker.leads_host = hosts_.insert(host.name).second;
      worker.report_s = host.grant ? model_.costs.limited_report_s : model_.costs.worker_report_s;
      worker.relay_share = model_.arrival.taken_share(share_of(host));
      worker.notice_s = setting_.naps ? model_.costs.notice_s : 0;
    }
    scenario_.workers.push_back(std::move(worker));
  }

 private:
  const HostModel& master() const { return setting_.hosts[setting_.master_rank]; }

  double speed_seen(const std::string& name) const {
    const auto found = model_.loop.speeds.find(name);
    return found == model_.loop.speeds.end() ? 1 : found->second;
  }

  /// What of its grant computing has.
  std::optional<Grant> granted(const HostModel& host) const {
    std::optional<Grant> grant = host.grant;
    if (grant) grant->share *= model_.loop.of_share(share_of(host)).delivered;
    return grant;
  }

  std::size_t width_of(double share) {
    const auto [place, is_new] = widths_.try_emplace(share, scenario_.widths.size());
    if (is_new) scenario_.widths.push_back(model_.loop.of_share(share).factor);
    return place->second;
  }

  // Hosts with links of one rate have one price.
  std::size_t link_to(const HostModel& host) {
    const auto [place, is_new] = links_.try_emplace(host.link_bytes_per_s, scenario_.links.size());
    if (is_new) scenario_.links.push_back(network_(master(), host));
    return place->second;
  }

  const FarmModel& model_;
  const FarmSetting& setting_;
  const Network& network_;
  Scenario& scenario_;
  std::map<double, std::size_t> widths_;
  std::map<double, std::size_t> links_;
  std::set<std::string> hosts_;
};

MasterModel master_of(const FarmModel& model, const FarmSetting& setting, std::uint64_t replicate) {
  MasterModel master;
  if (setting.master_works) master.own_worker = setting.master_rank;
  master.grant = setting.hosts[setting.master_rank].grant;
  master.load = load_of(setting, setting.master_rank, false, replicate);
  master.far = {model.costs.report_s, model.costs.order_s, setting.naps ? model.costs.notice_s : 0};
  master.near = {model.costs.near_s, model.costs.near_s, 0};
  return master;
}

ChunkBytes bytes_of(const FarmModel& model) {
  const double iterations = std::max<double>(1, static_cast<double>(model.iterations));
  ChunkBytes bytes;
  bytes.input_each = model.data.input_bytes / iterations;
  bytes.result_each = model.data.result_bytes / iterations;
  return bytes;
}

std::size_t other_hosts(const FarmSetting& setting) {
  std::set<std::string> names;
  for (const HostModel& host : setting.hosts) names.insert(host.name);
  return names.size() - 1;
}

double run_factor(const FarmModel& model, std::uint64_t replicate) {
  if (replicate == 0 || model.loop.run_deviation <= 0) return 1;
  constexpr std::uint64_t other_stream = 0x9e3779b97f4a7c15;  // than that of the simulation
  std::mt19937_64 random(replicate ^ other_stream);
  return std::exp(model.loop.run_deviation * normal(random));
}

/// Nothing where the work stands evenly in the loop.
std::vector<double> uneven(Index iterations, std::vector<double> work) {
  constexpr double same = 1e-9;
  const auto size = static_cast<Index>(work.size());
  const Index part = LoopRecord::part_of(iterations);
  for (Index i = 0; i < size; ++i) {
    const auto count = static_cast<double>(std::min(part, iterations - i * part));
    const double each = work[static_cast<std::size_t>(i)] / count;
    if (std::abs(each - work.front() / static_cast<double>(std::min(part, iterations))) > same * each)
      return work;
  }
  return {};
}

}  // namespace

FarmModel fit_farm(std::span<const RunRecord> runs) {
  if (runs.empty()) throw UsageError("no run to predict from", "the cost of an iteration comes from one");
  const RunRecord& first = runs.front();
  for (const RunRecord& run : runs) {
    if (run.app != first.app || run.iterations != first.iterations)
      throw UsageError("runs of different loops: " + first.app + " of " + std::to_string(first.iterations) +
                           " iterations, " + run.app + " of " + std::to_string(run.iterations),
                       "the cost of an iteration is fitted to all of them", "give runs of one loop");
    if (!run.loop)
      throw UsageError("a record does not tell what travels", "it has no 'loop'",
                       "make the run again with this loadshare");
  }
  const LoopFit loop = fit_loop(runs);
  const auto delivered = [&loop](double share) { return loop.of_share(share).delivered; };
  return {first.iterations,     uneven(first.iterations, first.loop->work), loop, *first.loop,
          fit_farm_costs(runs), fit_shared_arrival(runs, delivered)};
}

bool has_chance(const FarmModel& model, const FarmSetting& setting) {
  return model.loop.scatter.is_any() || model.loop.run_deviation > 0 ||
         (setting.load && setting.load->is_phase_random && !setting.knows_phases) ||
         std::ranges::any_of(setting.hosts, [](const HostModel& host) { return share_of(host) < 1; });
}

Scenario make_scenario(const FarmModel& model, const FarmSetting& setting, const Network& network,
                       std::uint64_t replicate) {
  require_hosts(setting);
  Scenario scenario;
  const double each_s = model.loop.seconds_per_work * run_factor(model, replicate);
  scenario.loop = loop_cost(model.iterations, model.work, each_s);
  WorkerBuilder builder(model, setting, network, scenario);
  for (std::size_t rank = 0; rank < setting.hosts.size(); ++rank)
    if (rank != setting.master_rank || setting.master_works) builder.add(rank, replicate);
  scenario.master = master_of(model, setting, replicate);
  scenario.bytes = bytes_of(model);
  scenario.shared =
      shared_input_of(model.data, model.arrival.begins_at, other_hosts(setting), scenario.links);
  scenario.ports = PortOrder::shared;
  if (!scenario.links.empty())
    scenario.port_burst_s =
        scenario.links.front()->port_s(setting.hosts[setting.master_rank].link_burst_bytes);
  scenario.prefetch = static_cast<std::size_t>(setting.prefetch);
  scenario.reissue = setting.reissue;
  if (replicate != 0) scenario.scatter = model.loop.scatter;
  // Looking for messages takes from its own chunks.
  if (scenario.master.own_worker && setting.naps)
    scenario.workers[*scenario.master.own_worker].speed *= 1 - model.costs.looking_share;
  return scenario;
}

}  // namespace loadshare::predictor
