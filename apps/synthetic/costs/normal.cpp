#include "apps/synthetic/costs/normal.hpp"

#include "apps/synthetic/costs/draws.hpp"
#include "apps/synthetic/costs/values.hpp"

namespace loadshare::synthetic {

double Normal::seconds(Index iteration) const {
  Draws draws(seed_, iteration);
  double factor = 1 + cv_ * draws.normal();
  while (factor < 0) factor = 1 + cv_ * draws.normal();
  return mean_s_ * factor;
}

CostEntry normal_entry() {
  return {"normal",
          "normally distributed, truncated at 0: a negative cost is drawn again, so beyond cv = 0.3 the mean "
          "is more than was asked for",
          {{"mean", "1ms", "the mean before truncation"},
           {"cv", "0.25", "the standard deviation over the mean, at most 1"}},
          [](const Spec& spec, const CostContext& context) {
            return std::make_unique<Normal>(duration_s(spec, "mean", 1e-3), ratio(spec, "cv", 0.25, 1),
                                            context.seed);
          }};
}

}  // namespace loadshare::synthetic
