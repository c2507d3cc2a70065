#include "models/scaling/term.hpp"

#include <fmt/format.h>

#include <cmath>

namespace loadshare::scaling {

namespace {

double value_of(const Term::Factor& factor, const Setting& setting) {
  const double parameter = setting.at(factor.parameter);
  return std::pow(factor.is_logarithm ? std::log2(parameter) : parameter, factor.exponent);
}

/// The factor with its exponent's sign left out.
std::string text_of(const Term::Factor& factor) {
  const std::string base = factor.is_logarithm ? fmt::format("log2({})", factor.parameter) : factor.parameter;
  const double exponent = std::abs(factor.exponent);
  if (exponent == 1) return base;
  if (exponent == 0.5) return fmt::format("sqrt({})", base);
  return fmt::format("{}^{}", base, exponent);
}

/// Powers above the first are dear: they decide what is predicted of larger sizes.
double complexity_of(const Term::Factor& factor) {
  constexpr double unusual = 0.5;
  const double exponent = std::abs(factor.exponent);
  double complexity = exponent > 1 ? exponent + 1 : 1;
  if (factor.is_logarithm || exponent != std::floor(exponent)) complexity += unusual;
  return complexity;
}

}  // namespace

double Term::at(const Setting& setting) const {
  double product = 1;
  for (const Factor& factor : factors) product *= value_of(factor, setting);
  return product;
}

std::string Term::text() const {
  std::string above;
  std::string below;
  for (const Factor& factor : factors) {
    if (factor.exponent < 0) {
      below += " / " + text_of(factor);
    } else {
      above += (above.empty() ? "" : " * ") + text_of(factor);
    }
  }
  return (above.empty() ? "1" : above) + below;
}

double Term::complexity() const {
  double sum = 0;
  for (const Factor& factor : factors) sum += complexity_of(factor);
  return sum;
}

}  // namespace loadshare::scaling
