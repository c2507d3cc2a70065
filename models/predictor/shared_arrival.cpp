#include "models/predictor/shared_arrival.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/granularity/spread.hpp"

namespace loadshare::predictor {

namespace {

/// A worker's first chunk, with instants as shares of the time until the shared input was everywhere.
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

void add_first_chunks(const RunRecord& run, const DeliveredShare& delivered,
                      std::vector<FirstChunk>& chunks) {
  if (run.load || !(run.shared_input_s > 0)) return;
  const auto master =
      std::ranges::find_if(run.ranks, [](const RankRecord& rank) { return rank.role != Role::worker; });
  for (const RankRecord& rank : run.ranks) {
    if (!rank.worker || (master != run.ranks.end() && rank.host == master->host)) continue;
    const ChunkRecord* chunk = first_chunk_of(run, *rank.worker);
    if (!chunk || !(chunk->cpu_s > 0) || chunk->begun_s >= run.shared_input_s) continue;
    const double granted = std::min(rank.capacity, 1.0);
    const double computing_s = chunk->cpu_s / (granted * delivered(granted));
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
    shares[granted] = std::clamp(granularity::median_of(of_chunks), 0.0, most);
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

double SharedArrival::taken_share(double share) const {
  if (taken_shares.empty()) return 0;
  return std::ranges::min_element(taken_shares, {},
                                  [share](const auto& one) { return std::abs(std::log(one.first / share)); })
      ->second;
}

SharedArrival fit_shared_arrival(std::span<const RunRecord> runs, const DeliveredShare& delivered) {
  std::vector<FirstChunk> chunks;
  for (const RunRecord& run : runs) add_first_chunks(run, delivered, chunks);
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
