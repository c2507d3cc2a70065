#include "models/program/scaling/law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"

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

double Law::at(const Setting& setting) const {
  double sum = 0;
  for (const Part& part : parts_) sum += part.coefficient * part.term.at(setting);
  return sum;
}

double Law::leverage_at(const Setting& setting) const {
  const double value = at(setting);
  double leverage = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    for (std::size_t j = 0; j < parts_.size(); ++j)
      leverage += parts_[i].term.at(setting) * fit_.covariance.at(i * parts_.size() + j) *
                  parts_[j].term.at(setting) / (value * value);
  return leverage;
}

std::optional<double> Law::uncertainty_at(const Setting& setting) const {
  if (is_exact()) return 0;
  if (!fit_.error) return std::nullopt;
  const double value = at(setting);
  if (value == 0) return 0;
  const double of_few = students_t_over_normal(static_cast<std::size_t>(freedom()));
  const double of_fit = of_few * std::max(*fit_.error * std::sqrt(1 + leverage_at(setting)),
                                          std::hypot(*fit_.error, choice_deviation(setting)));
  const double of_run = std::sqrt(std::log1p(fit_.one_run.relative_at(value)));
  // A time of nanoseconds that one run had a thousand times as long would else be hours in some drawn runs.
  constexpr double most = 2;
  return std::hypot(std::min(std::hypot(of_fit, of_run), most), assumed_deviation(setting));
}

int Law::freedom() const {
  return std::max(1, fit_.settings - static_cast<int>(parts_.size()));
}

/// Of other laws about this one: nine in ten lie within 1.645 of it, as of a normal distribution. (Their mean
/// square would be that of the one wildest law.)
double Law::choice_deviation(const Setting& setting) const {
  if (fit_.others.empty()) return 0;
  constexpr double most = 10;  // a law that says nothing at all there is as far off as one can be
  constexpr double nine_in_ten = 1.645;
  std::vector<double> logarithms;
  for (const std::vector<Part>& parts : fit_.others) {
    const double ratio = Law(parts, {}).at(setting) / at(setting);
    logarithms.push_back(ratio > 0 ? std::min(most, std::abs(std::log(ratio))) : most);
  }
  return quantile_of(logarithms, 0.9) / nine_in_ten;
}

double Law::assumed_deviation(const Setting& setting) const {
  constexpr double of_power = 0.5;
  double squares = 0;
  for (const Range& range : fit_.ranges) {
    const auto found = setting.find(range.parameter);
    if (found == setting.end() || !fit_.assumed.contains(range.parameter)) continue;
    const double nearest = std::clamp(found->second, range.least, range.most);
    const double deviation = of_power * std::log(found->second / nearest);
    squares += deviation * deviation;
  }
  return std::sqrt(squares);
}

std::vector<std::string> Law::extrapolations(const Setting& setting) const {
  std::vector<std::string> texts;
  for (const Range& range : fit_.ranges) {
    const auto found = setting.find(range.parameter);
    if (found == setting.end() || (found->second >= range.least && found->second <= range.most)) continue;
    texts.push_back(range.least == range.most
                        ? fmt::format("{} = {} (seen: {})", range.parameter, found->second, range.least)
                        : fmt::format("{} = {} (seen: {} to {})", range.parameter, found->second, range.least,
                                      range.most));
  }
  return texts;
}

std::string Law::text() const {
  return text_with([](double coefficient) { return fmt::format("{}", coefficient); });
}

std::string Law::short_text() const {
  return text_with([](double coefficient) { return fmt::format("{:.4g}", coefficient); });
}

std::string Law::text_with(const std::function<std::string(double)>& coefficient_text) const {
  std::string sum;
  for (const Part& part : parts_) {
    if (!sum.empty()) sum += " + ";
    sum += coefficient_text(part.coefficient);
    if (part.term.factors.empty()) continue;
    const std::string term = part.term.text();
    sum += term.starts_with("1 / ") ? term.substr(1) : " * " + term;
  }
  return sum.empty() ? "0" : sum;
}

}  // namespace loadshare::scaling
