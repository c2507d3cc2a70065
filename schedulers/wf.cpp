#include "schedulers/wf.hpp"

#include <utility>

namespace loadshare {
namespace {

constexpr double least_weight = 1e-6, most_weight = 1e6;

std::unique_ptr<ChunkScheduler> make_wf(const SchedulerSpec& spec, const LoopFacts& loop) {
  return std::make_unique<Wf>(Wf::Parameters{
      .workers = divisible_workers(loop),
      .weights = spec.list("weights", least_weight, most_weight).value_or(loop.weights),
      .min = spec.integer("min").value_or(1),
      .round = spec.word("round", roundings).value_or(Rounding::up),
  });
}

}  // namespace

Wf::Wf(Parameters parameters) : parameters_(std::move(parameters)), shares_(parameters_.workers) {
  const auto given = static_cast<Index>(parameters_.weights.size());
  const auto expected = static_cast<std::uint32_t>(std::min(given, parameters_.workers));
  for (std::uint32_t number = 0; number < expected; ++number)
    shares_.set_speed(WorkerId{number}, parameters_.weights[number]);
}

Cut Wf::next(const Request& request) {
  if (groups_.begin(shares_.workers())) half_ = static_cast<double>(request.remaining) / 2;
  const Index size = rounded(shares_.of(request.worker, half_), parameters_.round);
  return {clipped(size, parameters_.min, request.remaining)};
}

void Wf::joined(WorkerId worker, const WorkerFacts& facts) {
  const std::vector<double>& given = parameters_.weights;
  shares_.joined();
  if (given.empty()) return shares_.set_speed(worker, facts.weight);
  if (to_number(worker) < given.size()) shares_.set_speed(worker, given[to_number(worker)]);
}

SchedulerEntry wf_entry() {
  return {.name = "wf",
          .description = "fac2, each chunk by its worker's weight (Hummel et al. 1996)",
          .parameters = {{"weights", "what hosts grant", "of workers 0, 1, ... as 1:2:0.5, from 1e-6 to 1e6"},
                         min_info(),
                         round_info("up", "a chunk")},
          .make = make_wf,
          .candidates = nothing_worth_trying};
}

}  // namespace loadshare
