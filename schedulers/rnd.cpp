#include "schedulers/rnd.hpp"

#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

std::unique_ptr<ChunkScheduler> make_rnd(const SchedulerSpec& spec, const LoopFacts& loop) {
  spec.require_ordered("min", "max");
  const Index share = divided(loop.iterations, divisible_workers(loop), Rounding::down);
  const auto given_min = spec.integer("min"), given_max = spec.integer("max");
  const Index max = given_max.value_or(std::max({share / 2, given_min.value_or(1), Index{1}}));
  const Index min = given_min.value_or(std::clamp<Index>(share / 100, 1, max));
  return std::make_unique<Rnd>(Rnd::Parameters{
      .min = min, .max = max, .seed = static_cast<std::uint64_t>(spec.integer("seed", 0).value_or(1))});
}

}  // namespace

Rnd::Rnd(Parameters parameters)
    : min_(parameters.min),
      choices_(static_cast<double>(parameters.max - parameters.min) + 1),
      random_(parameters.seed) {}

Cut Rnd::next(const Request& request) {
  // The upper 53 bits, which a double represents exactly: a division takes several times as long.
  const double from_min = static_cast<double>(random_.next() >> 11) * 0x1p-53 * choices_;
  const Index most_more = request.remaining - min_;
  if (!(from_min < static_cast<double>(most_more))) return {request.remaining};
  return {min_ + std::min(static_cast<Index>(from_min), most_more)};
}

SchedulerEntry rnd_entry() {
  return {.name = "rnd",
          .description = "random sizes, evenly distributed (Ciorba et al. 2018)",
          .parameters = {{"min", "iterations / (100 workers)", "the smallest chunk, except the last"},
                         {"max", "iterations / (2 workers)", "the largest chunk"},
                         {"seed", "1", "the same seed gives the same sizes"}},
          .make = make_rnd,
          .candidates = nothing_worth_trying};
}

}  // namespace loadshare
