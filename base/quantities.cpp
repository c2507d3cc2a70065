#include "base/quantities.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace loadshare {
namespace {

struct Unit {
  std::string_view name;
  double size;
};

constexpr Unit durations[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};
constexpr Unit rates[] = {{"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}};
constexpr Unit percentages[] = {{"%", 0.01}};

/// Reads the number at the beginning of `text` and removes it from `text`.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

/// The product may be infinite.
std::optional<double> product_with_unit(std::string_view text, std::span<const Unit> units) {
  const auto value = take_number(text);
  if (!value || std::signbit(*value)) return std::nullopt;
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto unit = std::ranges::find(units, text, &Unit::name);
  return unit == units.end() ? std::nullopt : std::optional(*value * unit->size);
}

std::optional<double> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  const std::optional<double> product = product_with_unit(text, units);
  return product && std::isfinite(*product) ? product : std::nullopt;
}

std::string option_is(std::string_view option, std::string_view text) {
  return std::string(option) + " is " + std::string(text);
}

std::string option_is_quoted(std::string_view option, std::string_view text) {
  return option_is(option, "'" + std::string(text) + "'");
}

/// Returns the value with this number of decimals, or with the fewest that identify it.
std::string fixed(double value, std::optional<int> digits = {}) {
  std::array<char, 512> text;
  char* const begin = text.data();
  char* const end = begin + text.size();
  const auto form = std::chars_format::fixed;
  const auto result =
      digits ? std::to_chars(begin, end, value, form, *digits) : std::to_chars(begin, end, value, form);
  return {begin, result.ptr};
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

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  int shift = 0;
  for (const auto& [unit, by] : {std::pair{std::string_view("KiB"), 10}, {"MiB", 20}, {"GiB", 30}})
    if (text.ends_with(unit)) {
      shift = by;
      text.remove_suffix(unit.size());
      break;
    }
  const auto number = parse_integer<std::uint64_t>(text);
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  return number && *number <= most >> shift ? std::optional(*number << shift) : std::nullopt;
}

std::uint64_t byte_count(std::string_view option, std::string_view text) {
  if (const std::optional<std::uint64_t> bytes = parse_bytes(text)) return *bytes;
  throw UsageError(option_is_quoted(option, text), byte_count_form);
}

double number(std::string_view option, std::string_view text) {
  if (const std::optional<double> value = parse_number(text)) return *value;
  throw UsageError(option_is_quoted(option, text), "it must be a number", "write it as 12.5");
}

double positive_number(std::string_view option, std::string_view text) {
  const double value = number(option, text);
  if (value <= 0) throw UsageError(option_is(option, text), "it must be more than 0");
  return value;
}

std::vector<double> positive_numbers(std::string_view option, std::string_view text) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(positive_number(option, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return values;
}

Index whole_number(std::string_view option, const std::string& text, Index least, Index most) {
  Index value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range)
    throw UsageError(option_is(option, text), "it is too large to count with");
  if (error != std::errc{} || stop != end)
    throw UsageError(option_is_quoted(option, text), "it must be a whole number");
  const std::string problem = option_is(option, std::to_string(value));
  if (value < least) throw UsageError(problem, "at least " + std::to_string(least));
  if (value > most) throw UsageError(problem, "at most " + std::to_string(most));
  return value;
}

double duration_s(std::string_view what, std::string_view text) {
  if (text == "0") return 0;
  const std::optional<double> seconds = product_with_unit(text, durations);
  if (!seconds)
    throw UsageError(option_is_quoted(what, text), "a duration is a number and its unit",
                     "write it as 250ms, 1.5s or 2min");
  if (*seconds > longest_duration_s)
    throw UsageError(option_is_quoted(what, text), "it is too long", "give at most 1e9s");
  return *seconds;
}

std::string short_number_text(double number) {
  return fixed(number);
}

std::string short_duration_text(double seconds) {
  const double ms = std::round(seconds * 1e9) / 1e6;
  return ms > 0 && ms < 1000 ? fixed(ms) + "ms" : fixed(std::round(seconds * 1e9) / 1e9) + "s";
}

Bytes add_bytes(Bytes a, Bytes b) {
  return a > too_many_bytes - b ? too_many_bytes : a + b;
}

Bytes multiply_bytes(Bytes a, Bytes b) {
  Bytes result = 0;
  return __builtin_mul_overflow(a, b, &result) ? too_many_bytes : result;
}

std::string human_bytes(Bytes bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes == too_many_bytes) return "more than 16 EiB";
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would be printed as 1024.0, which belongs to the next unit.
  for (; amount >= 1023.95 && unit + 1 < units.size(); ++unit) amount /= 1024;
  std::string digits = fixed(amount, 1);
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  return digits + " " + units[unit];
}

}  // namespace loadshare
