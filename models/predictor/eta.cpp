#include "models/predictor/eta.hpp"

#include <algorithm>
#include <utility>

#include "models/predictor/farm_simulation.hpp"

namespace loadshare::predictor {

Eta::Eta(const SchedulerTable& schedulers, std::string spec, Index iterations)
    : schedulers_(schedulers), spec_(std::move(spec)), iterations_(iterations) {}

void Eta::look_ahead(const Observations& seen, double now_s) {
  if (!seen.has_any()) return;
  const Scenario scenario = seen.scenario(iterations_, now_s);
  std::vector<ChunkRecord> chunks;
  FarmSimulation simulation(scenario,
                            schedulers_.make(spec_, {iterations_, static_cast<Index>(seen.workers())}));
  simulation.keep_chunks(chunks);
  simulation.run();
  steps_.assign(1, Step{});
  for (const ChunkRecord& chunk : chunks)
    if (!chunk.is_duplicate) steps_.push_back({chunk.returned_s, steps_.back().done + chunk.chunk.size});
}

std::optional<double> Eta::end_s(Index done, double done_s) const {
  if (steps_.size() < 2) return std::nullopt;
  const auto step = std::ranges::lower_bound(steps_, done, {}, &Step::done);
  const double foreseen_s = step == steps_.end() ? steps_.back().at_s : step->at_s;
  return steps_.back().at_s + done_s - foreseen_s;
}

}  // namespace loadshare::predictor
