#include "models/predictor/delivered_share.hpp"

#include <algorithm>
#include <vector>

#include "models/granularity/spread.hpp"

namespace loadshare::predictor {

namespace {

/// A chunk's processor time, and the time it took in all.
struct Taken {
  double cpu_s = 0;
  double wall_s = 0;
};

void add_chunks(const RunRecord& run, std::map<double, std::vector<Taken>>& by_share) {
  for (const RankRecord& rank : run.ranks) {
    if (rank.role != Role::worker || !rank.worker || rank.capacity >= 1) continue;
    for (const ChunkRecord& chunk : run.chunks)
      if (chunk.worker == *rank.worker && chunk.begun_s >= run.shared_input_s && chunk.cpu_s > 0)
        by_share[rank.capacity].push_back({chunk.cpu_s, chunk.ended_s - chunk.begun_s});
  }
}

bool tells_a_slope(const std::vector<Taken>& chunks) {
  constexpr std::size_t fewest = 10;
  constexpr double least_spread = 3;
  const auto [least, most] = std::ranges::minmax_element(chunks, {}, &Taken::cpu_s);
  return chunks.size() >= fewest && most->cpu_s >= least_spread * least->cpu_s;
}

/// By least squares.
double slope_of(const std::vector<Taken>& chunks) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Taken& chunk : chunks) {
    x += chunk.cpu_s;
    y += chunk.wall_s;
    xx += chunk.cpu_s * chunk.cpu_s;
    xy += chunk.cpu_s * chunk.wall_s;
  }
  const auto n = static_cast<double>(chunks.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace

std::map<double, double> delivered_shares(std::span<const RunRecord> runs) {
  std::map<double, std::vector<double>> slopes;
  for (const RunRecord& run : runs) {
    if (run.load) continue;
    std::map<double, std::vector<Taken>> by_share;
    add_chunks(run, by_share);
    for (const auto& [share, chunks] : by_share)
      if (tells_a_slope(chunks)) slopes[share].push_back(slope_of(chunks));
  }
  constexpr double least = 0.5;
  std::map<double, double> delivered;
  for (const auto& [share, of_runs] : slopes)
    delivered[share] = std::clamp(1 / (share * granularity::median_of(of_runs)), least, 1.0);
  return delivered;
}

}  // namespace loadshare::predictor
