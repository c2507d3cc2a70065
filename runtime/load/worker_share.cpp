#include "runtime/load/worker_share.hpp"

#include <algorithm>
#include <vector>

namespace loadshare {

namespace {

/// A stretch of a worker's time and the processor time it got in it.
struct Stretch {
  double from_s;
  double to_s;
  double cpu_s;
};

std::vector<Stretch> chunks_of(WorkerId worker, std::span<const ChunkRecord> chunks) {
  std::vector<Stretch> own;
  for (const ChunkRecord& chunk : chunks)
    if (chunk.worker == worker) own.push_back({chunk.begun_s, chunk.ended_s, chunk.cpu_s});
  return own;
}

void extend_to_next(std::vector<Stretch>& own) {
  for (std::size_t i = 1; i < own.size(); ++i) own[i - 1].to_s = std::max(own[i - 1].to_s, own[i].from_s);
}

/// Sums over stretches.
struct Times {
  double on_s = 0;
  double off_s = 0;
  double cpu_s = 0;

  void add(const Stretch& stretch, double under_load_s) {
    on_s += under_load_s;
    off_s += stretch.to_s - stretch.from_s - under_load_s;
    cpu_s += stretch.cpu_s;
  }
};

constexpr double least_s = 0.05;

}  // namespace

std::optional<double> worker_share(const LoadPlan& plan, double capacity, WorkerId worker,
                                   std::span<const ChunkRecord> chunks) {
  const bool is_limited = capacity < 1;
  std::vector<Stretch> own = chunks_of(worker, chunks);
  if (is_limited) extend_to_next(own);
  Times loaded, free;
  for (const Stretch& stretch : own) {
    const double under_load_s = plan.dose(stretch.from_s, stretch.to_s).on_s;
    (under_load_s > 0 ? loaded : free).add(stretch, under_load_s);
  }
  if (loaded.on_s < least_s || capacity <= 0) return std::nullopt;
  const bool is_free_known = free.off_s >= least_s && free.cpu_s > 0;
  const double free_share = is_free_known ? free.cpu_s / free.off_s : capacity;
  const double got_s = loaded.cpu_s - free_share * loaded.off_s;
  if (got_s < 0) return std::nullopt;  // others took more of the time without load than was reckoned with
  return std::min(got_s / loaded.on_s / (is_limited ? free_share : capacity), 1.0);
}

}  // namespace loadshare
