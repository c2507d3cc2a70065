#include "schedulers/tfss.hpp"

#include "schedulers/tss.hpp"

namespace loadshare {
namespace {

std::unique_ptr<ChunkScheduler> make_tfss(const SchedulerSpec& spec, const LoopFacts& loop) {
  spec.require_ordered("last", "first");
  const Index last = spec.integer("last").value_or(1);
  const Index first = spec.integer("first").value_or(std::max(half_share(loop), last));
  return std::make_unique<Tfss>(Tfss::Parameters{
      .workers = divisible_workers(loop),
      .first = first,
      .step = trapezoid_step(loop.iterations, first, last),
      .min = last,
      .round = spec.word("round", roundings).value_or(Rounding::down),
  });
}

}  // namespace

Cut Tfss::next(const Request& request) {
  if (groups_.begin(parameters_.workers)) {
    const Index back = after(parameters_.workers - 1);
    size_ = back + divided(front_ - back, 2, parameters_.round);
    front_ = after(parameters_.workers);
  }
  return {std::min(size_, request.remaining)};
}

// Compares before it multiplies, because the product may overflow with many workers.
Index Tfss::after(Index chunks) const {
  const Index above = front_ - parameters_.min;
  if (parameters_.step == 0) return front_;
  return chunks > above / parameters_.step ? parameters_.min : front_ - parameters_.step * chunks;
}

SchedulerEntry tfss_entry() {
  return {.name = "tfss",
          .description =
              "trapezoid factoring: tss, a chunk of each size for every worker (Chronopoulos et al. 2001)",
          .parameters = {{"first", "iterations / (2 workers)",
                          "the trapezoid's first chunk, the default rounded to nearest"},
                         {"last", "1", "its last chunk"},
                         round_info("down", "a chunk")},
          .make = make_tfss,
          .candidates = nothing_worth_trying};
}

}  // namespace loadshare
