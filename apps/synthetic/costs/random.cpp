#include "apps/synthetic/costs/random.hpp"

#include <cmath>
#include <numbers>

#include "base/random.hpp"

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

double Bimodal::seconds(Index iteration) const {
  return Draws(seed_, iteration).uniform() < share_ ? range_.high_s : range_.low_s;
}

CostEntry bimodal_entry() {
  return {"bimodal",
          "cheap or dear, in random order",
          {{"low", "500us", "what a cheap one costs"},
           {"high", "5.5ms", "what a dear one costs"},
           {"share", "0.1", "the part of the iterations that are dear"}},
          [](const Spec& spec, const CostContext& context) {
            return std::make_unique<Bimodal>(cost_range(spec, {500e-6, 5.5e-3}), ratio(spec, "share", 0.1, 1),
                                             context.seed);
          }};
}

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
