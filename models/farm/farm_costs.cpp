#include "models/farm/farm_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "runtime/dispatch/shared_units.hpp"

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

}  // namespace loadshare::predictor
