#include "schedulers/viss.hpp"

namespace loadshare {
namespace {

std::unique_ptr<ChunkScheduler> make_viss(const SchedulerSpec& spec, const LoopFacts& loop) {
  const Index share = divided(loop.iterations, divisible_workers(loop), Rounding::down);
  return std::make_unique<Viss>(Viss::Parameters{
      .workers = divisible_workers(loop),
      .first = std::max<Index>(divided(share, spec.integer("factor", 2).value_or(4), Rounding::down), 1),
  });
}

}  // namespace

Cut Viss::next(const Request& request) {
  if (groups_.begin(parameters_.workers)) {
    size_ += increase_;
    increase_ /= 2;
  }
  return {std::min(size_, request.remaining)};
}

SchedulerEntry viss_entry() {
  return {.name = "viss",
          .description = "sizes rise from group to group, by half as much each time (Philip and Das 1997)",
          .parameters = {{"factor", "4", "X: the first chunks are iterations / (X workers); at least 2"}},
          .make = make_viss,
          .candidates = nothing_worth_trying};
}

}  // namespace loadshare
