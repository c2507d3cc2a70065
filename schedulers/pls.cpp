#include "schedulers/pls.hpp"

#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

// The value of published implementations if nothing is known about the iterations.
constexpr double usual_static_ratio = 0.5;

std::unique_ptr<ChunkScheduler> make_pls(const SchedulerSpec& spec, const LoopFacts& loop) {
  const Index workers = divisible_workers(loop);
  const double ratio = spec.real("static_ratio", 0, 1).value_or(usual_static_ratio);
  const double part = static_cast<double>(loop.iterations) * ratio / static_cast<double>(workers);
  const Index static_size = rounded(part, Rounding::down), min = spec.integer("min").value_or(1);
  return std::make_unique<Pls>(Pls::Parameters{
      .workers = workers,
      .static_size = static_size > 0 ? std::max(static_size, min) : 0,
      .min = min,
      .round = spec.word("round", roundings).value_or(Rounding::up),
  });
}

}  // namespace

Cut Pls::next(const Request& request) {
  if (static_left_ > 0) {
    --static_left_;
    return {std::min(parameters_.static_size, request.remaining)};
  }
  return {clipped(divided(request.remaining, parameters_.workers, parameters_.round), parameters_.min,
                  request.remaining)};
}

SchedulerEntry pls_entry() {
  return {.name = "pls",
          .description = "a static part in one chunk a worker, then gss (Shih et al. 2007)",
          .parameters = {{"static_ratio", "0.5",
                          "the static part: the shortest over the longest iteration's time, from 0 to 1"},
                         min_info(),
                         round_info("up", "R / P")},
          .make = make_pls,
          .candidates = nothing_worth_trying};
}

}  // namespace loadshare
