#include "models/predictor/shared_arrival.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

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

void add_first_chunks(const RunRecord& run, std::vector<FirstChunk>& chunks) {
  if (run.load || !(run.shared_input_s > 0)) return;
  const auto master =
      std::ranges::find_if(run.ranks, [](const RankRecord& rank) { return rank.role != Role::worker; });
  for (const RankRecord& rank : run.ranks) {
    if (!rank.worker || (master != run.ranks.end() && rank.host == master->host)) continue;
    const ChunkRecord* chunk = first_chunk_of(run, *rank.worker);
    // What ends with the input has waited for it, whatever else it did.
    constexpr double much_later = 1.1;
    if (!chunk || !(chunk->cpu_s > 0) || chunk->begun_s >= run.shared_input_s ||
        chunk->ended_s < much_later * run.shared_input_s)
      continue;
    const double granted = std::min(rank.capacity, 1.0);
    const double whole_s = run.shared_input_s;
    chunks.push_back({granted, chunk->begun_s / whole_s, chunk->ended_s / whole_s,
                      chunk->cpu_s / granted / whole_s});
  }
}

/// When it would end if bringing the input took nothing of its processor.
double undisturbed_end(const FirstChunk& chunk, double begins_at) {
  return std::max(chunk.begun, begins_at) + chunk.computing;
}

std::map<double, double> taken_shares(const std::vector<FirstChunk>& chunks, double begins_at) {
  constexpr double most = 0.9;
  struct Sum {
    double lost = 0, granted = 0;
  };
  std::map<double, Sum> sums;
  for (const FirstChunk& chunk : chunks) {
    sums[chunk.granted].lost += chunk.ended - undisturbed_end(chunk, begins_at);
    sums[chunk.granted].granted += 1 - std::max(chunk.begun, begins_at);
  }
  std::map<double, double> shares;
  for (const auto& [granted, sum] : sums)
    shares[granted] = sum.granted > 0 ? std::clamp(sum.lost / sum.granted, 0.0, most) : 0;
  return shares;
}

double error_of(const std::vector<FirstChunk>& chunks, const SharedArrival& arrival) {
  double error = 0;
  for (const FirstChunk& chunk : chunks) {
    const double going_on = std::max(0.0, 1 - std::max(chunk.begun, arrival.begins_at));
    const double end = undisturbed_end(chunk, arrival.begins_at) +
                       arrival.taken_shares.at(chunk.granted) * going_on;
    error += std::abs(std::max(end, 1.0) - chunk.ended);
  }
  return error;
}

}  // namespace

double SharedArrival::taken_share(double share) const {
  if (taken_shares.empty()) return 0;
  return std::ranges::min_element(taken_shares, {}, [share](const auto& one) {
           return std::abs(std::log(one.first / share));
         })->second;
}

SharedArrival fit_shared_arrival(std::span<const RunRecord> runs) {
  std::vector<FirstChunk> chunks;
  for (const RunRecord& run : runs) add_first_chunks(run, chunks);
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
