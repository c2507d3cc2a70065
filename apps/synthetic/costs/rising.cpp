#include "apps/synthetic/costs/rising.hpp"

namespace loadshare::synthetic {

double Rising::seconds(Index iteration) const {
  const double way =
      iterations_ > 1 ? static_cast<double>(iteration) / static_cast<double>(iterations_ - 1) : 0.5;
  return range_.low_s + (range_.high_s - range_.low_s) * way;
}

CostEntry rising_entry() {
  return {"rising",
          "in equal steps from low to high",
          {{"low", "0us", "the first iteration's"}, {"high", "2ms", "the last one's"}},
          [](const Spec& spec, const CostContext& context) {
            return std::make_unique<Rising>(cost_range(spec, {0, 2e-3}), context.iterations);
          }};
}

}  // namespace loadshare::synthetic
