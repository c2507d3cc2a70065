#include "apps/synthetic/costs/random.hpp"

#include <cmath>
#include <numbers>

#include "base/random.hpp"

namespace loadshare::synthetic {
namespace {

/// A gamma variable of a shape of at least 1, and of scale 1, by Marsaglia and Tsang, "A simple method for
/// generating gamma variables", ACM Transactions on Mathematical Software 26(3), 2000.
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

/// A gamma variable of any shape, which is 1 / cv^2; for shapes below 1 from that shape plus 1, in their way.
double gamma_variable(double mean, double cv, Draws draws) {
  constexpr double least_cv = 1e-6;  // below it the shape would leave the numbers there are
  if (cv < least_cv) return mean;
  const double shape = 1 / (cv * cv);
  if (shape >= 1) return mean / shape * standard_gamma(shape, draws);
  const double raised = standard_gamma(shape + 1, draws);
  return mean / shape * raised * std::pow(draws.uniform(), 1 / shape);
}

}  // namespace

Draws::Draws(std::uint64_t seed, Index iteration)
    : state_(split_mix::first_state(seed, static_cast<std::uint64_t>(iteration))) {}

double Draws::uniform() {
  state_ += split_mix::golden_gamma;
  return (static_cast<double>(split_mix::mix(state_) >> 12) + 0.5) * 0x1p-52;
}

double Draws::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

/// `bimodal[:low,high,share]`: two kinds of iterations, cheap and dear, in random order: as where some find
/// nothing to do.
CostEntry bimodal_entry() {
  return {"bimodal",
          "cheap or dear, in random order",
          {{"low", "500us", "what a cheap one costs"},
           {"high", "5.5ms", "what a dear one costs"},
           {"share", "0.1", "the part of the iterations that are dear"}},
          [](const Spec& spec, const CostContext& context) {
            const CostRange range = cost_range(spec, {500e-6, 5.5e-3});
            return cost_by([range, share = spec.real("share", 0, 1).value_or(0.1),
                            seed = context.seed](Index iteration) {
              return Draws(seed, iteration).uniform() < share ? range.high_s : range.low_s;
            });
          }};
}

/// `exponential[:mean]`: many cheap iterations and a few that cost several times the mean; the standard
/// deviation is the mean.
CostEntry exponential_entry() {
  return {"exponential",
          "exponentially distributed: many cheap ones, a few several times the mean",
          {{"mean", "1ms", "the mean, and the standard deviation"}},
          [](const Spec& spec, const CostContext& context) {
            return cost_by([mean_s = duration_s(spec, "mean", 1e-3), seed = context.seed](Index iteration) {
              return -mean_s * std::log(Draws(seed, iteration).uniform());
            });
          }};
}

/// `gamma[:mean,cv]`: never negative, of any spread. With cv = 1 it is the exponential distribution, with a
/// small one nearly the normal.
CostEntry gamma_entry() {
  return {"gamma",
          "gamma distributed: of any spread, never negative",
          {{"mean", "1ms", "the mean"}, {"cv", "0.5", "the standard deviation over the mean, at most 10"}},
          [](const Spec& spec, const CostContext& context) {
            const double mean_s = duration_s(spec, "mean", 1e-3), cv = spec.real("cv", 0, 10).value_or(0.5);
            return cost_by([mean_s, cv, seed = context.seed](Index iteration) {
              return gamma_variable(mean_s, cv, Draws(seed, iteration));
            });
          }};
}

/// `normal[:mean,cv]`: truncated at 0: what would be negative is drawn again. Up to cv = 0.3 that hardly ever
/// happens; at 1, mean and deviation become 1.29 and 0.79 times those asked for.
CostEntry normal_entry() {
  return {"normal",
          "normally distributed, truncated at 0: a negative cost is drawn again, so beyond cv = 0.3 the mean "
          "is more than was asked for",
          {{"mean", "1ms", "the mean before truncation"},
           {"cv", "0.25", "the standard deviation over the mean, at most 1"}},
          [](const Spec& spec, const CostContext& context) {
            const double mean_s = duration_s(spec, "mean", 1e-3), cv = spec.real("cv", 0, 1).value_or(0.25);
            return cost_by([mean_s, cv, seed = context.seed](Index iteration) {
              Draws draws(seed, iteration);
              double factor = 1 + cv * draws.normal();
              while (factor < 0) factor = 1 + cv * draws.normal();
              return mean_s * factor;
            });
          }};
}

/// `uniform[:low,high]`: mean (low + high) / 2, standard deviation (high - low) / sqrt(12).
CostEntry uniform_entry() {
  return {"uniform",
          "any cost between two is as likely as any other",
          {{"low", "0us", "the least"}, {"high", "2ms", "the most"}},
          [](const Spec& spec, const CostContext& context) {
            return cost_by([range = cost_range(spec, {0, 2e-3}), seed = context.seed](Index iteration) {
              return range.low_s + (range.high_s - range.low_s) * Draws(seed, iteration).uniform();
            });
          }};
}

}  // namespace loadshare::synthetic
