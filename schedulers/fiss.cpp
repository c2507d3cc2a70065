#include "schedulers/fiss.hpp"

namespace loadshare {
namespace {

std::unique_ptr<ChunkScheduler> make_fiss(const SchedulerSpec& spec, const LoopFacts& loop) {
  const Index stages = spec.integer("stages", 2).value_or(3);
  const auto share = static_cast<double>(loop.iterations) / static_cast<double>(divisible_workers(loop));
  const auto b = static_cast<double>(stages), x = b + 2;
  return std::make_unique<Fiss>(Fiss::Parameters{
      .workers = divisible_workers(loop),
      .stages = stages,
      .first = std::max<Index>(rounded(share / x, Rounding::down), 1),
      // 1 - B / X = 2 / X, which avoids a difference of nearly equal numbers.
      .increase = rounded(4 * share / (x * b * (b - 1)), Rounding::down),
  });
}

}  // namespace

Cut Fiss::next(const Request& request) {
  if (groups_.begin(parameters_.workers) && stages_left_ > 0) {
    size_ += parameters_.increase;
    --stages_left_;
  }
  return {std::min(size_, request.remaining)};
}

SchedulerEntry fiss_entry() {
  return {.name = "fiss",
          .description = "sizes rise by the same step from group to group (Philip and Das 1997)",
          .parameters = {{"stages", "3", "B, the number of groups; at least 2"}},
          .make = make_fiss,
          .candidates = nothing_worth_trying};
}

}  // namespace loadshare
