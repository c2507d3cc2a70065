#include "apps/synthetic/costs/regular.hpp"

namespace loadshare::synthetic {

double Constant::seconds(Index) const {
  return each_s_;
}

CostEntry constant_entry() {
  return {"constant",
          "the same for every iteration",
          {{"mean", "1ms", "what each costs"}},
          [](const Spec& spec, const CostContext&) {
            return std::make_unique<Constant>(duration_s(spec, "mean", 1e-3));
          }};
}

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
