#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

// Numbers with units as people write them, in any locale. The `parse_` functions return nothing if the whole
// text is not such a number. The other functions read the value of an option, and throw UsageError with its
// name.

/// Returns a finite number: "12.5", "-1e3", "010" (ten).
std::optional<double> parse_number(std::string_view text);

/// Returns a decimal integer that fits the type: "-3", "010" (ten).
template <class Number = Index>
std::optional<Number> parse_integer(std::string_view text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

/// Returns the seconds of `250us`, `250ms`, `1.5s`, `2 min` or `1h`; never negative.
std::optional<double> parse_duration_s(std::string_view text);

/// Returns the bits per second of `100mbit`, `9600bit`, `64kbit` or `2.5gbit` (powers of ten); never
/// negative.
std::optional<double> parse_rate_bits_per_s(std::string_view text);

/// Returns the share of 1 of `2%` or `2.5 %`; never negative.
std::optional<double> parse_percentage(std::string_view text);

/// Returns the number of bytes of `1000000`, `512KiB`, `64MiB` or `2GiB`; at most 2^50.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
inline constexpr const char* byte_count_form = "it must be a number of bytes: 1000000, 512KiB, 64MiB, 2GiB";

std::uint64_t byte_count(std::string_view option, std::string_view text);

double number(std::string_view option, std::string_view text);

double positive_number(std::string_view option, std::string_view text);
/// Reads numbers separated by commas.
std::vector<double> positive_numbers(std::string_view option, std::string_view text);

/// Reads an integer in [least, most]. (CLI11 would read 010 as eight, and its errors explain little.)
Index whole_number(std::string_view option, const std::string& text, Index least,
                   Index most = std::numeric_limits<Index>::max());

/// The longest accepted duration, 30 years. A clock's nanoseconds can represent ten times that.
inline constexpr double longest_duration_s = 1e9;
/// Returns the seconds of a duration with its unit, or of a bare `0`. Errors name `what`: "--for", "load:
/// on".
double duration_s(std::string_view what, std::string_view text);

/// Returns the shortest text without an exponent that parses to the finite number: `0.5`, `10`.
std::string short_number_text(double number);

/// Returns the shortest text that parses to the duration: `250ms`, `1.5s`.
std::string short_duration_text(double seconds);

/// A number of bytes. The functions below saturate at `too_many_bytes` instead of overflowing.
using Bytes = std::uint64_t;
inline constexpr Bytes too_many_bytes = std::numeric_limits<Bytes>::max();
Bytes add_bytes(Bytes a, Bytes b);
Bytes multiply_bytes(Bytes a, Bytes b);

/// Returns a size for people: "894.1 GiB", "128 MiB", "80 bytes"; powers of 1024, at most one decimal.
std::string human_bytes(Bytes bytes);

}  // namespace loadshare
