#include "runtime/load/worker_share.hpp"

namespace loadshare {

std::optional<double> worker_share(const LoadPlan& plan, double capacity, WorkerId worker,
                                   std::span<const ChunkRecord> chunks) {
  constexpr double least_on_s = 0.05;
  double on_s = 0, off_s = 0, cpu_s = 0;
  for (const ChunkRecord& chunk : chunks) {
    if (chunk.worker != worker) continue;
    const double under_load_s = plan.dose(chunk.begun_s, chunk.ended_s).on_s;
    on_s += under_load_s;
    off_s += chunk.ended_s - chunk.begun_s - under_load_s;
    cpu_s += chunk.cpu_s;
  }
  if (on_s < least_on_s || capacity <= 0) return std::nullopt;
  return (cpu_s / capacity - off_s) / on_s;
}

}  // namespace loadshare
