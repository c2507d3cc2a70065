#include "apps/synthetic/costs/uniform.hpp"

#include "apps/synthetic/costs/draws.hpp"

namespace loadshare::synthetic {

double Uniform::seconds(Index iteration) const {
  return range_.low_s + (range_.high_s - range_.low_s) * Draws(seed_, iteration).uniform();
}

CostEntry uniform_entry() {
  return {"uniform",
          "any cost between two is as likely as any other",
          {{"low", "0us", "the least"}, {"high", "2ms", "the most"}},
          [](const Spec& spec, const CostContext& context) {
            return std::make_unique<Uniform>(cost_range(spec, {0, 2e-3}), context.seed);
          }};
}

}  // namespace loadshare::synthetic
