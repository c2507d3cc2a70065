#include "models/predictor/eta.hpp"

#include <algorithm>
#include <utility>

#include "models/predictor/farm_simulation.hpp"

namespace loadshare::predictor {

Eta::Eta(const SchedulerTable& schedulers, std::string spec, Index iterations)
    : schedulers_(schedulers), spec_(std::move(spec)), iterations_(iterations) {}

void Eta::look_ahead(const Observations& seen, double now_s) {
  if (!seen.has_any()) return;
  Scenario scenario = seen.scenario(iterations_, now_s);
  scenario.scatter = {};
  FarmSimulation simulation(scenario,
                            schedulers_.make(spec_, {iterations_, static_cast<Index>(seen.workers())}));
  simulation.tell_chunks([this](const ChunkRecord& chunk) { add_step(chunk); });
  steps_.assign(1, Step{});
  last_ = {};
  chunks_ = 0;
  each_ = 1;
  simulation.run();
  steps_.push_back(last_);
}

void Eta::add_step(const ChunkRecord& chunk) {
  constexpr std::size_t most_steps = 8192;
  if (chunk.is_duplicate) return;
  last_ = {chunk.returned_s, last_.done + chunk.chunk.size};
  if (++chunks_ % each_ != 0) return;
  steps_.push_back(last_);
  if (steps_.size() < most_steps) return;
  for (std::size_t i = 0; 2 * i < steps_.size(); ++i) steps_[i] = steps_[2 * i];
  steps_.resize(steps_.size() / 2);
  each_ *= 2;
}

std::optional<double> Eta::end_s(Index done, double done_s, double now_s) const {
  if (steps_.size() < 2) return std::nullopt;
  const auto step = std::ranges::lower_bound(steps_, done, {}, &Step::done);
  const auto next = std::ranges::upper_bound(steps_, done, {}, &Step::done);
  const double end_s = steps_.back().at_s;
  double late_s = done_s - (step == steps_.end() ? end_s : step->at_s);
  // What should have come by now, and has not, is as late at least.
  if (next != steps_.end()) late_s = std::max(late_s, now_s - next->at_s);
  return end_s + late_s;
}

}  // namespace loadshare::predictor
