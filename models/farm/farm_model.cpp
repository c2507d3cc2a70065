#include "models/farm/farm_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/statistics.hpp"
#include "runtime/dispatch/shared_units.hpp"

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

using Links = std::span<const std::shared_ptr<const communication::MessageCosts>>;

double received_s(const communication::MessageCosts& costs, double bytes) {
  using communication::ReceivePosted, communication::SendMode;
  return costs.receiver_s(SendMode::standard, ReceivePosted::before, bytes);
}

/// It goes through all hosts, and is as late as on the slowest way.
const communication::MessageCosts& slowest_of(Links links, double bytes) {
  return **std::ranges::max_element(links, {},
                                    [bytes](const auto& link) { return received_s(*link, bytes); });
}

/// A worker's first chunk, with instants as shares of the time until the broadcast input was everywhere.
struct FirstChunk {
  double granted = 1;  // share of a processor
  double begun = 0;
  double ended = 0;
  double computing = 0;  // at the speed that is granted
};

const ChunkRecord* first_chunk_of(const RunRecord& run, WorkerId worker) {
  const ChunkRecord* first = nullptr;
  for (const ChunkRecord& chunk : run.chunks)
    if (chunk.worker == worker && (!first || chunk.begun_s < first->begun_s)) first = &chunk;
  return first;
}

void add_first_chunks(const RunRecord& run, const CpuEfficiency& cpu_efficiency,
                      std::vector<FirstChunk>& chunks) {
  if (run.load || !(run.shared_input_s > 0)) return;
  const auto master =
      std::ranges::find_if(run.ranks, [](const RankRecord& rank) { return rank.role != Role::worker; });
  for (const RankRecord& rank : run.ranks) {
    if (!rank.worker || (master != run.ranks.end() && rank.host == master->host)) continue;
    const ChunkRecord* chunk = first_chunk_of(run, *rank.worker);
    if (!chunk || !(chunk->cpu_s > 0) || chunk->begun_s >= run.shared_input_s) continue;
    const double granted = std::min(rank.capacity, 1.0);
    const double computing_s = chunk->cpu_s / (granted * cpu_efficiency(granted));
    // What would end with the input waits for it, whatever else it does.
    constexpr double much_later = 1.1;
    const double whole_s = run.shared_input_s;
    if (chunk->begun_s + computing_s > much_later * whole_s)
      chunks.push_back({granted, chunk->begun_s / whole_s, chunk->ended_s / whole_s, computing_s / whole_s});
  }
}

/// When it would end if bringing the input took nothing of its processor.
double undisturbed_end(const FirstChunk& chunk, double begins_at) {
  return std::max(chunk.begun, begins_at) + chunk.computing;
}

std::map<double, double> taken_shares(const std::vector<FirstChunk>& chunks, double begins_at) {
  constexpr double most = 0.9;
  std::map<double, std::vector<double>> taken;
  for (const FirstChunk& chunk : chunks)
    taken[chunk.granted].push_back((chunk.ended - undisturbed_end(chunk, begins_at)) /
                                   (1 - std::max(chunk.begun, begins_at)));
  std::map<double, double> shares;
  for (const auto& [granted, of_chunks] : taken)
    shares[granted] = std::clamp(median_of(of_chunks), 0.0, most);
  return shares;
}

double error_of(const std::vector<FirstChunk>& chunks, const SharedArrival& arrival) {
  double error = 0;
  for (const FirstChunk& chunk : chunks) {
    const double going_on = std::max(0.0, 1 - std::max(chunk.begun, arrival.begins_at));
    const double end =
        undisturbed_end(chunk, arrival.begins_at) + arrival.taken_shares.at(chunk.granted) * going_on;
    error += std::abs(std::max(end, 1.0) - chunk.ended);
  }
  return error;
}

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
    worker.speed = host.speed * observed_speed(host.name) / loop_.of_share(share_of(host)).slowness;
    worker.width = width_of(share_of(host));
    if (!loop_.waits) {
      worker.load = load_of(setting_, rank, true, replicate);
      worker.grant = granted(host);
    }
    if (host.name != master().name) {
      worker.link = link_to(host);
      worker.leads_host = hosts_.insert(host.name).second;
      worker.report_s = host.grant ? model_.costs.limited_report_s : model_.costs.worker_report_s;
      worker.relay_share = model_.arrival.taken_share(share_of(host));
      worker.polling_latency_s = setting_.naps ? model_.costs.polling_latency_s : 0;
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
  return master;
}

ChunkBytes bytes_of(const FarmModel& model) {
  const double iterations = std::max<double>(1, static_cast<double>(model.iterations()));
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

/// By how many standard deviations the replicate is slower, in computing and in messages.
struct Deviations {
  double run = 0;
  double messages = 0;

  Deviations() = default;
  explicit Deviations(std::uint64_t number) {
    std::mt19937_64 random(number);
    run = normal(random);
    messages = normal(random);
  }
};

/// What the replicate of that number is drawn by: of other loops by another, lest the few replicates that are
/// run lie alike in all predictions, all of them too far out or all too near.
std::uint64_t number_of_draw(const LoopFit& loop, std::uint64_t replicate) {
  return split_mix::mix(std::bit_cast<std::uint64_t>(loop.cost.total_s()) + replicate);
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
  costs.polling_share = std::min(solution.per_second, 0.5);
  return costs;
}

SharedInputModel shared_input_of(const LoopRecord& data, double begins_at, std::size_t other_hosts,
                                 Links links) {
  SharedInputModel shared;
  if (data.shared_bytes <= 0 || other_hosts == 0 || links.empty()) return shared;
  const communication::MessageCosts& costs = slowest_of(links, data.shared_bytes);
  const SharedUnits units(static_cast<std::size_t>(data.shared_bytes),
                          static_cast<std::size_t>(data.shared_piece_bytes));
  const auto unit_bytes = static_cast<double>(units.unit_bytes());
  const double window_bytes = static_cast<double>(units.first_credits(other_hosts)) * unit_bytes;  // a host's
  const double under_way_bytes = std::min(data.shared_bytes, window_bytes * static_cast<double>(other_hosts));
  // As long as the master's port needs, or the slowest way if that is longer.
  const double way_s = received_s(costs, data.shared_bytes) - received_s(costs, 0);
  shared.transfer_s = std::max(costs.port_s(data.shared_bytes), way_s);
  shared.window_s = costs.port_s(window_bytes);
  // What is under way when the last unit leaves has yet to be passed on.
  shared.tail_s = received_s(costs, other_hosts > 1 ? under_way_bytes : unit_bytes);
  shared.begins_at = begins_at;
  shared.last_part = 1.0 / static_cast<double>(units.pieces());
  return shared;
}

double SharedArrival::taken_share(double share) const {
  if (taken_shares.empty()) return 0;
  return std::ranges::min_element(taken_shares, {},
                                  [share](const auto& one) { return std::abs(std::log(one.first / share)); })
      ->second;
}

SharedArrival fit_shared_arrival(std::span<const RunRecord> runs, const CpuEfficiency& cpu_efficiency) {
  std::vector<FirstChunk> chunks;
  for (const RunRecord& run : runs) add_first_chunks(run, cpu_efficiency, chunks);
  SharedArrival best;
  if (chunks.empty()) return best;
  constexpr int steps = 20;
  double least = std::numeric_limits<double>::infinity();
  for (int step = 0; step < steps; ++step) {
    SharedArrival arrival;
    arrival.begins_at = static_cast<double>(step) / steps;
    arrival.taken_shares = taken_shares(chunks, arrival.begins_at);
    const double error = error_of(chunks, arrival);
    if (error < least) least = error, best = std::move(arrival);
  }
  return best;
}

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
  const auto cpu_efficiency = [&loop](double share) { return loop.of_share(share).cpu_efficiency; };
  return {loop, *first.loop, fit_farm_costs(runs), fit_shared_arrival(runs, cpu_efficiency)};
}

bool has_chance(const FarmModel& model, const FarmSetting& setting, const Network& network) {
  require_hosts(setting);
  const HostModel& master = setting.hosts[setting.master_rank];
  const auto has_deviation = [&](const HostModel& host) {
    return host.name != master.name && network(master, host)->deviation() > 0;
  };
  return model.loop.profile || model.loop.scatter.is_any() || model.loop.run_deviation > 0 ||
         (setting.load && setting.load->is_phase_random && !setting.knows_phases) ||
         std::ranges::any_of(setting.hosts, [](const HostModel& host) { return share_of(host) < 1; }) ||
         std::ranges::any_of(setting.hosts, has_deviation);
}

Scenario make_scenario(const FarmModel& model, const FarmSetting& setting, const Network& network,
                       std::uint64_t replicate) {
  require_hosts(setting);
  Scenario scenario;
  const std::uint64_t number = number_of_draw(model.loop, replicate);
  const LoopFit loop = replicate == 0 ? model.loop : model.loop.drawn(number);
  const Deviations deviations = replicate == 0 ? Deviations{} : Deviations(number);
  scenario.loop = loop.cost.times(loop.run_factor * std::exp(loop.run_deviation * deviations.run));
  WorkerBuilder builder(model, loop, setting, network, deviations.messages, scenario);
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
  if (replicate != 0) scenario.scatter = loop.scatter;
  scenario.told_deviation = std::hypot(scenario.loop.variation(), loop.scatter.deviation(1));
  // Looking for messages takes from its own chunks.
  if (scenario.master.own_worker && setting.naps)
    scenario.workers[*scenario.master.own_worker].speed *= 1 - model.costs.polling_share;
  return scenario;
}

}  // namespace loadshare::predictor
