#include "schedulers/tap.hpp"

#include <cmath>

#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

// Lucco found 1.3 suitable for many loops.
constexpr double usual_alpha = 1.3;

std::unique_ptr<ChunkScheduler> make_tap(const SchedulerSpec& spec, const LoopFacts& loop) {
  const double mu_s = mu_of(spec, loop), sigma_s = sigma_of(spec, loop);
  return std::make_unique<Tap>(Tap::Parameters{
      .workers = divisible_workers(loop),
      .v = spec.real("alpha", 0, 1000).value_or(usual_alpha) * sigma_s / mu_s,
      .min = spec.integer("min").value_or(1),
      .round = spec.word("round", roundings).value_or(Rounding::up),
  });
}

}  // namespace

Cut Tap::next(const Request& request) {
  const double share = static_cast<double>(request.remaining) * per_worker_, v = parameters_.v;
  // An equivalent form without the difference of nearly equal numbers. It is negative below v^2.
  const double size =
      share * std::max(share - v * v, 0.0) / (share + v * v / 2 + v * std::sqrt(2 * share + v * v / 4));
  return {clipped(rounded(size, parameters_.round), parameters_.min, request.remaining)};
}

SchedulerEntry tap_entry() {
  return {.name = "tap",
          .description = "taper: a share of what remains, less a margin for its scatter (Lucco 1992)",
          .parameters = {mu_info(),
                         sigma_info(),
                         {"alpha", "1.3", "the margin, in standard deviations of a chunk"},
                         min_info(),
                         round_info("up", "a chunk")},
          .make = make_tap,
          .candidates = nothing_worth_trying,
          .example = "tap:mu=0.001,sigma=0.0005"};
}

}  // namespace loadshare
