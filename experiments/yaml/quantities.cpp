#include "experiments/yaml/quantities.hpp"

#include <charconv>
#include <cmath>
#include <span>
#include <system_error>

namespace loadshare::yaml {
namespace {

struct Unit {
  std::string_view name;
  double size;
};

constexpr Unit durations[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};
constexpr Unit rates[] = {{"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}};
constexpr Unit percentages[] = {{"%", 0.01}};

/// The number that `text` begins with; moves `text` behind it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

std::optional<double> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  const auto value = take_number(text);
  if (!value || std::signbit(*value)) return std::nullopt;
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& unit : units)
    if (text == unit.name && std::isfinite(*value * unit.size)) return *value * unit.size;
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

std::optional<double> parse_duration_s(std::string_view text) {
  return parse_with_unit(text, durations);
}

std::optional<double> parse_rate_bits_per_s(std::string_view text) {
  return parse_with_unit(text, rates);
}

std::optional<double> parse_percentage(std::string_view text) {
  return parse_with_unit(text, percentages);
}

}  // namespace loadshare::yaml
