#include "models/farm/shared_arrival.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/statistics.hpp"
#include "runtime/dispatch/shared_units.hpp"

namespace loadshare::predictor {
namespace {

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

/// What bringing the input may take.
constexpr double most_of_a_workers = 1.25, most_of_the_masters = 0.9;

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

const RankRecord* master_in(const RunRecord& run) {
  const auto master =
      std::ranges::find_if(run.ranks, [](const RankRecord& rank) { return rank.role != Role::worker; });
  return master == run.ranks.end() ? nullptr : &*master;
}

/// Beside a load, how many times as long as alone the rank's later chunks took; nothing: there were none.
std::optional<double> slowdown_of(const RunRecord& run, const RankRecord& rank,
                                  const ComputingTime& computing_s) {
  if (!run.load) return 1;
  double took_s = 0, alone_s = 0;
  for (const ChunkRecord& chunk : run.chunks) {
    if (chunk.worker != *rank.worker || chunk.begun_s < run.shared_input_s || !(chunk.cpu_s > 0)) continue;
    took_s += chunk.ended_s - chunk.begun_s;
    alone_s += computing_s(rank, chunk);
  }
  return alone_s > 0 ? std::optional(took_s / alone_s) : std::nullopt;
}

void add_first_chunks(const RunRecord& run, const ComputingTime& computing_s,
                      std::vector<FirstChunk>& chunks) {
  const RankRecord* master = master_in(run);
  for (const RankRecord& rank : run.ranks) {
    if (!rank.worker || (master && rank.host == master->host)) continue;
    const ChunkRecord* chunk = first_chunk_of(run, *rank.worker);
    if (!chunk || !(chunk->cpu_s > 0) || chunk->begun_s >= run.shared_input_s) continue;
    const std::optional<double> slowdown = slowdown_of(run, rank, computing_s);
    if (!slowdown) continue;
    const double alone_s = computing_s(rank, *chunk) * *slowdown;
    // What would end with the input waits for it, whatever else it does; what began with its end tells
    // little.
    constexpr double much_later = 1.1, much_sooner = 0.9;
    const double whole_s = run.shared_input_s;
    if (chunk->begun_s + alone_s > much_later * whole_s && chunk->begun_s < much_sooner * whole_s)
      chunks.push_back({std::min(rank.capacity, 1.0), chunk->begun_s / whole_s, chunk->ended_s / whole_s,
                        alone_s / whole_s});
  }
}

/// When it would end if bringing the input took nothing of its processor.
double undisturbed_end(const FirstChunk& chunk, double begins_at) {
  return std::max(chunk.begun, begins_at) + chunk.computing;
}

std::map<double, double> taken_shares(const std::vector<FirstChunk>& chunks, double begins_at) {
  std::map<double, std::vector<double>> taken;
  for (const FirstChunk& chunk : chunks)
    taken[chunk.granted].push_back((chunk.ended - undisturbed_end(chunk, begins_at)) /
                                   (1 - std::max(chunk.begun, begins_at)));
  std::map<double, double> shares;
  for (const auto& [granted, of_chunks] : taken)
    shares[granted] = std::clamp(median_of(of_chunks), 0.0, most_of_a_workers);
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

/// What the master's own chunks lost until the input was everywhere, of that time.
void add_masters_share(const RunRecord& run, const ComputingTime& computing_s, std::vector<double>& shares) {
  const RankRecord* master = master_in(run);
  if (!master || !master->worker) return;
  const std::optional<double> slowdown = slowdown_of(run, *master, computing_s);
  if (!slowdown) return;
  double took_s = 0, lost_s = 0, meanwhile_s = 0;
  for (const ChunkRecord& chunk : run.chunks) {
    if (chunk.worker != *master->worker || chunk.begun_s >= run.shared_input_s || !(chunk.cpu_s > 0))
      continue;
    took_s += chunk.ended_s - chunk.begun_s;
    lost_s += chunk.ended_s - chunk.begun_s - computing_s(*master, chunk) * *slowdown;
    meanwhile_s += std::min(chunk.ended_s, run.shared_input_s) - chunk.begun_s;
  }
  // Of a chunk that is mostly computed afterwards the rest would be lost in what chunks differ by.
  constexpr double least_part = 0.2;
  if (meanwhile_s > least_part * took_s) shares.push_back(lost_s / meanwhile_s);
}

}  // namespace

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

SharedArrival fit_shared_arrival(std::span<const RunRecord> runs, const ComputingTime& computing_s) {
  std::vector<FirstChunk> chunks;
  std::vector<double> masters;
  for (const RunRecord& run : runs) {
    if (!(run.shared_input_s > 0)) continue;
    add_first_chunks(run, computing_s, chunks);
    add_masters_share(run, computing_s, masters);
  }
  SharedArrival best;
  constexpr int steps = 20;
  double least = std::numeric_limits<double>::infinity();
  for (int step = 0; step < steps && !chunks.empty(); ++step) {
    SharedArrival arrival;
    arrival.begins_at = static_cast<double>(step) / steps;
    arrival.taken_shares = taken_shares(chunks, arrival.begins_at);
    const double error = error_of(chunks, arrival);
    if (error < least) least = error, best = std::move(arrival);
  }
  if (!masters.empty()) best.masters_share = std::clamp(median_of(masters), 0.0, most_of_the_masters);
  return best;
}

}  // namespace loadshare::predictor
