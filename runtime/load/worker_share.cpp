#include "runtime/load/worker_share.hpp"

#include <algorithm>

namespace loadshare {

namespace {

/// Sums over chunks.
struct Times {
  double on_s = 0;
  double off_s = 0;
  double cpu_s = 0;

  void add(const ChunkRecord& chunk, double under_load_s) {
    on_s += under_load_s;
    off_s += chunk.ended_s - chunk.begun_s - under_load_s;
    cpu_s += chunk.cpu_s;
  }
};

constexpr double least_s = 0.05;

}  // namespace

std::optional<double> worker_share(const LoadPlan& plan, double capacity, WorkerId worker,
                                   std::span<const ChunkRecord> chunks) {
  Times loaded, free;
  for (const ChunkRecord& chunk : chunks) {
    if (chunk.worker != worker) continue;
    const double under_load_s = plan.dose(chunk.begun_s, chunk.ended_s).on_s;
    (under_load_s > 0 ? loaded : free).add(chunk, under_load_s);
  }
  if (loaded.on_s < least_s || capacity <= 0) return std::nullopt;
  const bool is_free_known = free.off_s >= least_s && free.cpu_s > 0;
  const double free_share = is_free_known ? free.cpu_s / free.off_s : capacity;
  const double got_s = loaded.cpu_s - free_share * loaded.off_s;
  // Under a limit, the time out often falls between two chunks, and they get more than the limit says.
  const double whole = capacity < 1 ? free_share : capacity;
  return std::clamp(got_s / loaded.on_s / whole, 0.0, 1.0);
}

}  // namespace loadshare
