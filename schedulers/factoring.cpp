#include "schedulers/factoring.hpp"

#include <algorithm>

#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

// Half of a fair share. Halved last, because twice the number of workers may overflow.
Index default_first(const LoopFacts& loop, Index min, Rounding round) {
  return std::max(divided(divided(loop.iterations, divisible_workers(loop), round), 2, round), min);
}

std::unique_ptr<ChunkScheduler> make_factoring(const SchedulerSpec& spec, const LoopFacts& loop) {
  spec.require_ordered("min", "first");
  const Index min = spec.integer("min").value_or(1);
  const Rounding round = spec.word("round", roundings).value_or(Rounding::down);
  return std::make_unique<Factoring>(Factoring::Parameters{
      .first = spec.integer("first").value_or(default_first(loop, min, round)),
      .min = min,
      .round = round,
      .workers = divisible_workers(loop),
  });
}

std::vector<std::string> factoring_candidates(const LoopFacts& loop) {
  std::vector<std::string> specs = specs_of("factoring:", shares_worth_trying(loop));
  const Index least = least_worth_trying(loop);
  if (least > 1) specs.back() = "factoring:min=" + std::to_string(least);
  return specs;
}

}  // namespace

Cut Factoring::next(const Request& request) {
  if (left_in_group_ == 0) {
    size_ = std::max(divided(size_, 2, parameters_.round), parameters_.min);
    left_in_group_ = parameters_.workers;
  }
  --left_in_group_;
  return {std::min(size_, request.remaining)};
}

SchedulerEntry factoring_entry() {
  return {"factoring",
          "groups of one chunk a worker, each group half the size of the last (Hummel et al. 1992)",
          {{"first", "iterations / (2 workers)", "F, the size of the first group's chunks"},
           {"min", "1", "the smallest chunk"},
           {"round", "down", "how a half is rounded: down or up"}},
          make_factoring,
          factoring_candidates};
}

}  // namespace loadshare
