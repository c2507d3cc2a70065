#include "apps/common/number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "schedulers/error.hpp"

namespace loadshare {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

double number(std::string_view option, std::string_view text) {
  if (const std::optional<double> value = parse_number(text)) return *value;
  throw UsageError(fmt::format("{} is '{}'", option, text), "it must be a number", "write it as 12.5");
}

}  // namespace loadshare
