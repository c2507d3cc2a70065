#include "models/predictor/eta.hpp"

#include <algorithm>
#include <utility>

#include "models/predictor/farm_simulation.hpp"

namespace loadshare::predictor {

Eta::Eta(const SchedulerTable& schedulers, std::string spec, Index iterations)
    : schedulers_(schedulers), spec_(std::move(spec)), iterations_(iterations) {}

void Eta::look_ahead(const Observations& seen) {
  if (!seen.has_any()) return;
  const Scenario scenario = seen.scenario(iterations_);
  std::vector<ChunkRecord> chunks;
  FarmSimulation simulation(scenario,
                            schedulers_.make(spec_, {iterations_, static_cast<Index>(seen.workers())}));
  simulation.keep_chunks(chunks);
  simulation.run();
  steps_.assign(1, Step{});
  for (const ChunkRecord& chunk : chunks)
    if (!chunk.is_duplicate) steps_.push_back({chunk.returned_s, steps_.back().done + chunk.chunk.size});
}

std::optional<double> Eta::remaining_s(double now_s, Index done) const {
  if (steps_.size() < 2) return std::nullopt;
  const auto above = std::ranges::lower_bound(steps_, done, {}, &Step::done);
  if (above == steps_.end()) return 0;
  double moment_s = above->at_s;
  if (above != steps_.begin() && above->done > done) {
    const Step& below = *std::prev(above);
    const double share =
        static_cast<double>(done - below.done) / static_cast<double>(above->done - below.done);
    moment_s = below.at_s + share * (above->at_s - below.at_s);
  }
  const double rest_s = steps_.back().at_s - moment_s;
  return moment_s > 0 ? rest_s * now_s / moment_s : rest_s;
}

}  // namespace loadshare::predictor
