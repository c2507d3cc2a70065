#include "models/farm/farm_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"

namespace loadshare::predictor {
namespace {

/// --patience of a farm whose workers come and go, where nobody says otherwise.
constexpr double patience_s = 600;

void require_hosts(const FarmSetting& setting) {
  if (setting.master_rank >= setting.hosts.size())
    throw UsageError("the master is rank " + std::to_string(setting.master_rank),
                     "there are " + std::to_string(setting.hosts.size()) + " hosts, counted from 0",
                     "give the position of one of them");
  for (const HostModel& host : setting.hosts)
    if (!(host.speed > 0) || !std::isfinite(host.speed) || !(host.available > 0))
      throw UsageError(fmt::format("host {} has a speed of {}", host.name, host.speed * host.available),
                       "it would never finish a chunk", "leave it out, or give it a speed above 0");
  if (setting.hosts[setting.master_rank].stay != Stay{})
    throw UsageError(
        "the master's host " + setting.hosts[setting.master_rank].name + " would join late or leave",
        "a run ends with its master", "let another host join or leave");
  if (!setting.master_works && setting.hosts.size() < 2)
    throw UsageError("the master only coordinates, and there is no other host", "there is no worker",
                     "let the master work, or give more hosts");
}

/// What other programs leave of the host, and the load of that.
Availability load_of(const FarmSetting& setting, std::size_t rank, bool computes, std::uint64_t replicate) {
  const HostModel& host = setting.hosts[rank];
  const int load_rank = host.load_rank.value_or(static_cast<int>(rank));
  Availability load;
  if (setting.load && setting.load->loads(load_rank, computes)) {
    LoadSpec spec = *setting.load;
    if (!setting.knows_phases) spec.seed += replicate;
    load = Availability(spec.plan_for(load_rank));
  }
  return load.scaled(host.available);
}

double share_of(const HostModel& host) {
  return host.grant ? std::min(host.grant->share, 1.0) : 1;
}

/// Gives each worker its link and its factor, and lists each of them once.
class WorkerBuilder {
 public:
  WorkerBuilder(const FarmModel& model, const LoopFit& loop, const FarmSetting& setting,
                const Network& network, double message_deviations, Scenario& scenario)
      : model_(model),
        message_deviations_(message_deviations),
        loop_(loop),
        setting_(setting),
        network_(network),
        scenario_(scenario) {}

  void add(std::size_t rank, std::uint64_t replicate) {
    const HostModel& host = setting_.hosts[rank];
    WorkerModel worker;
    worker.stay = host.stay;
    worker.speed = host.speed * observed_speed(host.name) / loop_.of_share(share_of(host)).slowness;
    worker.width = width_of(share_of(host));
    if (!loop_.waits) {
      worker.load = load_of(setting_, rank, true, replicate);
      worker.grant = granted(host);
    }
    if (host.name != master().name) {
      worker.link = link_to(host);
      worker.leads_host = hosts_.insert(host.name).second;
      worker.report_s = model_.costs.worker_report_s;
      worker.relay_share = model_.arrival.taken_share(share_of(host));
      worker.polling_latency_s = setting_.naps ? model_.costs.polling_latency_s : 0;
    } else if (rank == setting_.master_rank) {
      worker.relay_share = model_.arrival.masters_share;
    }
    scenario_.workers.push_back(std::move(worker));
  }

 private:
  const HostModel& master() const { return setting_.hosts[setting_.master_rank]; }

  double observed_speed(const std::string& name) const {
    const auto found = loop_.speeds.find(name);
    return found == loop_.speeds.end() ? 1 : found->second;
  }

  /// What of its grant computing has.
  std::optional<CpuQuota> granted(const HostModel& host) const {
    std::optional<CpuQuota> grant = host.grant;
    if (grant) grant->share *= loop_.of_share(share_of(host)).cpu_efficiency;
    return grant;
  }

  std::size_t width_of(double share) {
    const auto [place, is_new] = widths_.try_emplace(share, scenario_.widths.size());
    if (is_new) scenario_.widths.push_back(loop_.of_share(share).factor);
    return place->second;
  }

  /// Hosts to which messages cost the same share a link.
  std::size_t link_to(const HostModel& host) {
    const auto costs = network_(master(), host);
    const auto [place, is_new] = links_.try_emplace(costs, scenario_.links.size());
    if (is_new) scenario_.links.push_back(of_this_run(costs));
    return place->second;
  }

  std::shared_ptr<const communication::MessageCosts> of_this_run(
      std::shared_ptr<const communication::MessageCosts> costs) const {
    const double deviation = costs->deviation();
    if (deviation <= 0 || message_deviations_ == 0) return costs;
    return std::make_shared<communication::ScaledCosts>(costs, std::exp(deviation * message_deviations_));
  }

  const FarmModel& model_;
  double message_deviations_;  // by so many standard deviations messages are slower
  const LoopFit& loop_;        // of the replicate
  const FarmSetting& setting_;
  const Network& network_;
  Scenario& scenario_;
  std::map<double, std::size_t> widths_;
  std::map<std::shared_ptr<const communication::MessageCosts>, std::size_t> links_;
  std::set<std::string> hosts_;
};

MasterModel master_of(const FarmModel& model, const FarmSetting& setting, std::uint64_t replicate) {
  MasterModel master;
  if (setting.master_works) master.own_worker = setting.master_rank;
  master.grant = setting.hosts[setting.master_rank].grant;
  master.load = load_of(setting, setting.master_rank, false, replicate);
  master.far = {model.costs.report_s, model.costs.order_s, setting.naps ? model.costs.polling_latency_s : 0};
  master.near = {model.costs.near_s, model.costs.near_s, 0};
  master.journal_each_s = model.costs.journal_each_s;
  return master;
}

ChunkBytes bytes_of(const FarmModel& model) {
  const double iterations = std::max<double>(1, static_cast<double>(model.iterations()));
  ChunkBytes bytes;
  bytes.input_each = model.data.input_bytes / iterations;
  bytes.result_each = model.data.result_bytes / iterations;
  return bytes;
}

/// Of the start; of hosts that come later each is the only one as it comes.
std::size_t other_hosts(const FarmSetting& setting) {
  std::set<std::string> names;
  for (const HostModel& host : setting.hosts)
    if (!host.stay.is_late()) names.insert(host.name);
  return std::max<std::size_t>(1, names.size() - 1);
}

/// By how many standard deviations a replicate is slower, in computing and in messages.
struct Deviations {
  double run = 0;
  double messages = 0;
};

/// What the replicate of that number is drawn by: of other loops by another, lest the few replicates that are
/// run lie alike in all predictions, all of them too far out or all too near.
std::uint64_t number_of_draw(const LoopFit& loop, std::uint64_t replicate) {
  return split_mix::mix(std::bit_cast<std::uint64_t>(loop.cost.total_s()) + replicate);
}

/// Of two replicates each the second is as much faster as the first is slower (antithetic variates:
/// Hammersley and Morton, Proc. Camb. Phil. Soc. 52, 1956), so that the median of few hardly moves.
Deviations deviations_of(const LoopFit& loop, std::uint64_t replicate) {
  if (replicate == 0) return {};
  std::mt19937_64 random(number_of_draw(loop, (replicate + 1) / 2));
  const double sign = replicate % 2 == 1 ? 1 : -1;
  const double run = normal(random), messages = normal(random);
  return {sign * run, sign * messages};
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
      throw UsageError("a record does not contain the sizes of input and results", "it has no 'loop'",
                       "record the run again with this loadshare");
  }
  const LoopFit loop = fit_loop(runs);
  const auto computing = [&loop](const RankRecord& rank, const ChunkRecord& chunk) {
    return computing_s(loop, rank, chunk.chunk);
  };
  return {loop, *first.loop, fit_farm_costs(runs), fit_shared_arrival(runs, computing), 0};
}

bool has_chance(const FarmModel& model, const FarmSetting& setting, const Network& network) {
  require_hosts(setting);
  const HostModel& master = setting.hosts[setting.master_rank];
  const auto has_deviation = [&](const HostModel& host) {
    return host.name != master.name && network(master, host)->deviation() > 0;
  };
  return model.loop.profile || model.loop.scatter.is_any() || model.loop.run_deviation > 0 ||
         model.error_deviation > 0 ||
         (setting.load && setting.load->is_phase_random && !setting.knows_phases) ||
         std::ranges::any_of(setting.hosts, [](const HostModel& host) { return share_of(host) < 1; }) ||
         std::ranges::any_of(setting.hosts, has_deviation);
}

Scenario make_scenario(const FarmModel& model, const FarmSetting& setting, const Network& network,
                       std::uint64_t replicate) {
  require_hosts(setting);
  Scenario scenario;
  const LoopFit loop = replicate == 0 ? model.loop : model.loop.drawn(number_of_draw(model.loop, replicate));
  const Deviations deviations = deviations_of(model.loop, replicate);
  const double deviation = std::max(loop.run_deviation, model.error_deviation);
  scenario.loop = loop.cost.times(loop.run_factor * std::exp(deviation * deviations.run));
  WorkerBuilder builder(model, loop, setting, network, deviations.messages, scenario);
  for (std::size_t rank = 0; rank < setting.hosts.size(); ++rank)
    if (rank != setting.master_rank || setting.master_works) builder.add(rank, replicate);
  scenario.master = master_of(model, setting, replicate);
  scenario.bytes = bytes_of(model);
  scenario.shared =
      shared_input_of(model.data, model.arrival.begins_at, other_hosts(setting), scenario.links);
  scenario.ports = PortOrder::queued;
  if (!scenario.links.empty())
    scenario.port_burst_s =
        scenario.links.front()->port_s(setting.hosts[setting.master_rank].link_burst_bytes);
  scenario.prefetch = static_cast<std::size_t>(setting.prefetch);
  scenario.reissue = setting.reissue;
  scenario.patience_s = patience_s;
  if (replicate != 0) scenario.scatter = loop.scatter;
  scenario.reported_deviation = std::hypot(scenario.loop.variation(), loop.scatter.deviation(1));
  // Looking for messages takes from its own chunks.
  if (scenario.master.own_worker && setting.naps)
    scenario.workers[*scenario.master.own_worker].speed *= 1 - model.costs.polling_share;
  return scenario;
}

}  // namespace loadshare::predictor
