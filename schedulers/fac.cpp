#include "schedulers/fac.hpp"

#include <cmath>

namespace loadshare {
namespace {

Fac::Parameters fac_parameters(const SchedulerSpec& spec, const LoopFacts& loop) {
  return {.workers = divisible_workers(loop),
          .min = spec.integer("min").value_or(1),
          .round = spec.word("round", roundings).value_or(Rounding::up)};
}

std::unique_ptr<ChunkScheduler> make_fac(const SchedulerSpec& spec, const LoopFacts& loop) {
  Fac::Parameters parameters = fac_parameters(spec, loop);
  const double mu_s = mu_of(spec, loop);
  parameters.scatter = sigma_of(spec, loop) / mu_s;
  return std::make_unique<Fac>(parameters);
}

}  // namespace

Cut Fac::next(const Request& request) {
  if (groups_.begin(parameters_.workers)) size_ = group_size(request.remaining);
  return {clipped(size_, parameters_.min, request.remaining)};
}

Index Fac::group_size(Index remaining) {
  // In two steps, because twice the number of workers may overflow an Index. The result is the same.
  if (!parameters_.scatter)
    return divided(divided(remaining, parameters_.workers, parameters_.round), 2, parameters_.round);
  const double least = is_first_group_ ? 1 : 2;
  is_first_group_ = false;
  const auto left = static_cast<double>(remaining), workers = static_cast<double>(parameters_.workers);
  const double b = workers / (2 * std::sqrt(left)) * *parameters_.scatter;
  const double x = least + b * b + b * std::sqrt(b * b + 2 * least);
  return rounded(left / (x * workers), parameters_.round);
}

SchedulerEntry fac2_entry() {
  return {.name = "fac2",
          .description = "groups of equal chunks, each group half of what remains (Hummel et al. 1992)",
          .parameters = {min_info(), round_info("up", "a chunk")},
          .make = [](const SchedulerSpec& spec,
                     const LoopFacts& loop) { return std::make_unique<Fac>(fac_parameters(spec, loop)); },
          .candidates = nothing_worth_trying};
}

SchedulerEntry fac_entry() {
  return {.name = "fac",
          .description =
              "groups of equal chunks, each as large as the iterations' scatter allows (Hummel et al. 1992)",
          .parameters = {mu_info(), sigma_info(), min_info(), round_info("up", "a chunk")},
          .make = make_fac,
          .candidates = nothing_worth_trying,
          .example = "fac:mu=0.001,sigma=0.0005"};
}

}  // namespace loadshare
