#include "apps/synthetic/costs/gamma.hpp"

#include <cmath>

#include "apps/synthetic/costs/draws.hpp"
#include "apps/synthetic/costs/values.hpp"

namespace loadshare::synthetic {
namespace {

/// A gamma variable of a shape of at least 1, and of scale 1.
double standard_gamma(double shape, Draws& draws) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draws.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(draws.uniform()) < 0.5 * x * x + d * (1 - v + std::log(v))) return d * v;
  }
}

}  // namespace

double Gamma::seconds(Index iteration) const {
  constexpr double least_cv = 1e-6;  // below it the shape would leave the numbers there are
  if (cv_ < least_cv) return mean_s_;
  Draws draws(seed_, iteration);
  const double shape = 1 / (cv_ * cv_);
  if (shape >= 1) return mean_s_ / shape * standard_gamma(shape, draws);
  const double raised = standard_gamma(shape + 1, draws);
  return mean_s_ / shape * raised * std::pow(draws.uniform(), 1 / shape);
}

CostEntry gamma_entry() {
  return {"gamma",
          "gamma distributed: of any spread, never negative",
          {{"mean", "1ms", "the mean"}, {"cv", "0.5", "the standard deviation over the mean, at most 10"}},
          [](const Spec& spec, const CostContext& context) {
            return std::make_unique<Gamma>(duration_s(spec, "mean", 1e-3), ratio(spec, "cv", 0.5, 10),
                                           context.seed);
          }};
}

}  // namespace loadshare::synthetic
