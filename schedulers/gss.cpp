#include "schedulers/gss.hpp"

#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

std::unique_ptr<ChunkScheduler> make_gss(const SchedulerSpec& spec, const LoopFacts& loop) {
  return std::make_unique<Gss>(Gss::Parameters{
      .divisor = spec.integer("divisor").value_or(divisible_workers(loop)),
      .min = spec.integer("min").value_or(1),
      .round = spec.word("round", roundings).value_or(Rounding::down),
  });
}

// From the number of workers upwards, because with fewer parts the first chunks would take the whole loop.
std::vector<std::string> gss_candidates(const LoopFacts& loop) {
  const Index workers = divisible_workers(loop);
  std::vector<std::string> specs =
      specs_of("gss:", {workers, workers + workers / 2, 2 * workers, 4 * workers, 3 * workers});
  const Index least = least_worth_trying(loop);
  if (least > 1) specs.back() = "gss:min=" + std::to_string(least);
  return specs;
}

}  // namespace

Cut Gss::next(const Request& request) {
  return {clipped(divided(request.remaining, parameters_.divisor, parameters_.round), parameters_.min,
                  request.remaining)};
}

SchedulerEntry gss_entry() {
  return {"gss",
          "guided: a fixed part of what remains (Polychronopoulos and Kuck 1987)",
          {{"divisor", "workers", "G, the divisor of the remaining iterations"},
           {"min", "1", "the smallest chunk"},
           {"round", "down", "how R / G is rounded: down or up"}},
          make_gss,
          gss_candidates};
}

}  // namespace loadshare
