#include "apps/synthetic/costs/falling.hpp"

namespace loadshare::synthetic {

double Falling::seconds(Index iteration) const {
  const double way =
      iterations_ > 1 ? static_cast<double>(iteration) / static_cast<double>(iterations_ - 1) : 0.5;
  return range_.high_s - (range_.high_s - range_.low_s) * way;
}

CostEntry falling_entry() {
  return {"falling",
          "in equal steps from high to low",
          {{"low", "0us", "the last iteration's"}, {"high", "2ms", "the first one's"}},
          [](const Spec& spec, const CostContext& context) {
            return std::make_unique<Falling>(cost_range(spec, {0, 2e-3}), context.iterations);
          }};
}

}  // namespace loadshare::synthetic
