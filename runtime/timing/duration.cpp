#include "runtime/timing/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "schedulers/error.hpp"

namespace loadshare {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 4> units{
    {{"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"s", 1}}};

UsageError refusal(std::string_view what, std::string_view text) {
  return UsageError(fmt::format("{} is '{}'", what, text), "a duration is a number and its unit",
                    "write it as 250ms, 1.5s or 2min");
}

/// The length of the unit that `text` is; 0 where it is none.
double unit_s(std::string_view text) {
  for (const auto& [name, length_s] : units)
    if (text == name) return length_s;
  return 0;
}

}  // namespace

double parse_duration_s(std::string_view what, std::string_view text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || std::signbit(number)) throw refusal(what, text);
  const std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  if (number == 0 && unit.empty()) return 0;
  if (unit_s(unit) == 0) throw refusal(what, text);
  const double seconds = number * unit_s(unit);
  if (seconds > longest_duration_s)
    throw UsageError(fmt::format("{} is '{}'", what, text), "it is too long", "give at most 1e9s");
  return seconds;
}

std::string short_duration_text(double seconds) {
  const double ms = std::round(seconds * 1e9) / 1e6;
  return ms > 0 && ms < 1000 ? fmt::format("{}ms", ms) : fmt::format("{}s", std::round(seconds * 1e9) / 1e9);
}

}  // namespace loadshare
