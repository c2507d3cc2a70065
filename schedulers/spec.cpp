#include "schedulers/spec.hpp"

#include <charconv>
#include <limits>
#include <system_error>

#include "schedulers/error.hpp"

namespace loadshare {
namespace {

bool is_signed_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<Index> Spec::whole(std::string_view parameter, Index least) const {
  const auto found = values.find(parameter);
  if (found == values.end()) return std::nullopt;
  const std::string& text = found->second;
  if (!is_signed_number(text))
    throw UsageError(said(parameter, text), "it is not a whole number",
                     "give a whole number of at least " + std::to_string(least));
  Index value = 0;
  const auto status = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_too_large = status.ec == std::errc::result_out_of_range && !text.starts_with('-');
  if (is_too_large)
    throw UsageError(said(parameter, text), "it is too large",
                     "give at most " + std::to_string(std::numeric_limits<Index>::max()));
  if (status.ec != std::errc() || value < least)
    throw UsageError(said(parameter, text), "it is too small", "give at least " + std::to_string(least));
  return value;
}

Rounding Spec::rounding(Rounding fallback) const {
  const auto found = values.find("round");
  if (found == values.end()) return fallback;
  if (found->second == "down") return Rounding::down;
  if (found->second == "up") return Rounding::up;
  throw UsageError(said("round", found->second), "sizes are rounded down or up", "give 'down' or 'up'");
}

void Spec::require_ordered(std::string_view low, std::string_view high) const {
  const auto low_value = whole(low), high_value = whole(high);
  if (!low_value || !high_value || *low_value <= *high_value) return;
  throw UsageError(said(low, values.find(low)->second),
                   "it is more than " + std::string(high) + ", which is " + std::to_string(*high_value),
                   "give a smaller " + std::string(low) + " or a larger " + std::string(high));
}

std::string Spec::said(std::string_view parameter, std::string_view value) const {
  return kind + " " + name + ": " + std::string(parameter) + " is '" + std::string(value) + "'";
}

std::string Spec::text() const {
  std::string text = name;
  char separator = ':';
  for (const auto& [parameter, value] : values) {
    text.append(1, separator).append(parameter).append("=").append(value);
    separator = ',';
  }
  return text;
}

}  // namespace loadshare
