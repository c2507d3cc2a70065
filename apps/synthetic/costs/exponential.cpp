#include "apps/synthetic/costs/exponential.hpp"

#include <cmath>

#include "apps/synthetic/costs/draws.hpp"
#include "apps/synthetic/costs/values.hpp"

namespace loadshare::synthetic {

double Exponential::seconds(Index iteration) const {
  return -mean_s_ * std::log(Draws(seed_, iteration).uniform());
}

CostEntry exponential_entry() {
  return {"exponential",
          "exponentially distributed: many cheap ones, a few several times the mean",
          {{"mean", "1ms", "the mean, and the standard deviation"}},
          [](const Spec& spec, const CostContext& context) {
            return std::make_unique<Exponential>(duration_s(spec, "mean", 1e-3), context.seed);
          }};
}

}  // namespace loadshare::synthetic
