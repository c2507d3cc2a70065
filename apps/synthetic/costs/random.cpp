#include "apps/synthetic/costs/random.hpp"

#include <cmath>
#include <numbers>

#include "base/random.hpp"

namespace loadshare::synthetic {
namespace {

/// Returns a gamma variable of scale 1 and a shape of at least 1, by Marsaglia and Tsang, "A simple method
/// for generating gamma variables", ACM Transactions on Mathematical Software 26(3), 2000.
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

/// Returns a gamma variable of any shape, which is 1 / cv^2. Shapes below 1 are derived from that shape plus
/// 1, by the same authors' method.
double gamma_variable(double mean, double cv, Draws draws) {
  constexpr double least_cv = 1e-6;  // with a smaller one the shape would overflow
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

/// Returns the entry of `bimodal[:low,high,share]`: cheap and expensive iterations in random order, as in
/// loops in which some iterations find nothing to do.
CostEntry bimodal_entry() {
  return {"bimodal",
          "cheap or expensive, in random order",
          {{"low", "500us", "cost of a cheap iteration"},
           {"high", "5.5ms", "cost of an expensive iteration"},
           {"share", "0.1", "share of the iterations that are expensive"}},
          [](const Spec& spec, const CostContext& context) {
            const CostRange range = cost_range(spec, {500e-6, 5.5e-3});
            return cost_by([range, share = spec.real("share", 0, 1).value_or(0.1),
                            seed = context.seed](Index iteration) {
              return Draws(seed, iteration).uniform() < share ? range.high_s : range.low_s;
            });
          }};
}

/// Returns the entry of `exponential[:mean]`: many cheap iterations and a few that cost several times the
/// mean. The standard deviation equals the mean.
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

/// Returns the entry of `gamma[:mean,cv]`: never negative, with any spread. With cv = 1 it is the exponential
/// distribution, with a small cv almost the normal one.
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

/// Returns the entry of `normal[:mean,cv]`, truncated at 0: negative values are drawn again. Up to cv = 0.3
/// that hardly ever happens; at 1, mean and deviation become 1.29 and 0.79 times the requested ones.
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

/// Returns the entry of `uniform[:low,high]`: mean (low + high) / 2, standard deviation (high - low) /
/// sqrt(12).
CostEntry uniform_entry() {
  return {"uniform",
          "every cost between low and high is equally likely",
          {{"low", "0us", "the lowest cost"}, {"high", "2ms", "the highest cost"}},
          [](const Spec& spec, const CostContext& context) {
            return cost_by([range = cost_range(spec, {0, 2e-3}), seed = context.seed](Index iteration) {
              return range.low_s + (range.high_s - range.low_s) * Draws(seed, iteration).uniform();
            });
          }};
}

}  // namespace loadshare::synthetic
