#include "apps/synthetic/costs/cost.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/text.hpp"

namespace loadshare::synthetic {
namespace {

constexpr const char* how_to_write = "write it as 200us, 1.5ms or 2s";

/// A number at the beginning of a text, and the rest of the text.
struct Number {
  double value;
  std::string_view rest;
};

std::optional<Number> leading_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return Number{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::optional<double> unit_s(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  for (const auto& [name, seconds] : units)
    if (name == unit) return seconds;
  return std::nullopt;
}

class CostByFunction final : public Cost {
 public:
  explicit CostByFunction(std::function<double(Index)> seconds) : seconds_(std::move(seconds)) {}

  double seconds(Index iteration) const override { return seconds_(iteration); }

 private:
  std::function<double(Index)> seconds_;
};

/// Divides if a unit is a part of a second: 200 / 1e6 is the number nearest to 0.0002, 200 * 1e-6 is not.
double in_seconds(double value, double unit) {
  return unit < 1 ? value / std::round(1 / unit) : value;
}

}  // namespace

std::unique_ptr<Cost> cost_by(std::function<double(Index iteration)> seconds) {
  return std::make_unique<CostByFunction>(std::move(seconds));
}

double duration_s(const Spec& spec, std::string_view parameter, double fallback_s) {
  const std::string* const text = spec.given(parameter);
  if (text == nullptr) return fallback_s;
  const std::string said = spec.said(parameter, *text);
  const auto number = leading_number(*text);
  if (!number) throw UsageError(said, "it is not a duration", how_to_write);
  const bool is_plain_zero = number->value == 0 && number->rest.empty();
  const auto unit = is_plain_zero ? 1 : unit_s(number->rest);
  if (!unit && number->rest.empty()) throw UsageError(said, "it has no unit", how_to_write);
  if (!unit) throw UsageError(said, fmt::format("there is no unit '{}'", number->rest), how_to_write);
  const double seconds = in_seconds(number->value, *unit);
  if (seconds < 0) throw UsageError(said, "it is negative", how_to_write);
  if (seconds > longest_cost_s) throw UsageError(said, "it is too long", "give at most 1e9s");
  return seconds;
}

CostRange cost_range(const Spec& spec, CostRange fallback) {
  const CostRange range{duration_s(spec, "low", fallback.low_s), duration_s(spec, "high", fallback.high_s)};
  if (range.low_s <= range.high_s) return range;
  throw UsageError(fmt::format("{} {}: low is {}", spec.kind, spec.name, duration_text(range.low_s)),
                   fmt::format("it is more than high, which is {}", duration_text(range.high_s)),
                   "give a smaller low or a larger high");
}

}  // namespace loadshare::synthetic
