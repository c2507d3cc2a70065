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

// Numbers with units as people write them, whatever the locale. The `parse_` functions give nothing where a
// text is no such number, all of it; the others are the values of an option, and throw UsageError with its
// name.

/// A finite number: "12.5", "-1e3", "010" (which is ten).
std::optional<double> parse_number(std::string_view text);

/// A whole number in decimal that the type holds: "-3", "010" (which is ten).
template <class Number = Index>
std::optional<Number> parse_whole(std::string_view text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

/// Seconds, of `250us`, `250ms`, `1.5s`, `2 min`, `1h`; never negative.
std::optional<double> parse_duration_s(std::string_view text);

/// Bits a second, of `100mbit`, `9600bit`, `64kbit`, `2.5gbit` (powers of ten); never negative.
std::optional<double> parse_rate_bits_per_s(std::string_view text);

/// A share of 1, of `2%` or `2.5 %`; never negative.
std::optional<double> parse_percentage(std::string_view text);

/// A number of bytes, of `1000000`, `512KiB`, `64MiB`, `2GiB`; 2^50 at most.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
inline constexpr const char* byte_count_form = "it must be a number of bytes: 1000000, 512KiB, 64MiB, 2GiB";

std::uint64_t byte_count(std::string_view option, std::string_view text);

double number(std::string_view option, std::string_view text);

double positive_number(std::string_view option, std::string_view text);
/// Several, separated by commas.
std::vector<double> positive_numbers(std::string_view option, std::string_view text);

/// A whole number in [least, most]. (CLI11 itself would read 010 as eight, and say little of what is wrong.)
Index whole_number(std::string_view option, const std::string& text, Index least,
                   Index most = std::numeric_limits<Index>::max());

/// The longest duration accepted, 30 years; a clock's nanoseconds hold ten times that.
inline constexpr double longest_duration_s = 1e9;
/// Seconds of a duration with its unit, or of a bare `0`. `what` names it in errors: "--for", "load: on".
double duration_s(std::string_view what, std::string_view text);

/// The shortest text without an exponent that parses to the finite number: `0.5`, `10`.
std::string short_number_text(double number);

/// The shortest text that parses to the duration: `250ms`, `1.5s`.
std::string short_duration_text(double seconds);

/// A number of bytes. Sums and products below stick at `too_many_bytes` instead of wrapping round.
using Bytes = std::uint64_t;
inline constexpr Bytes too_many_bytes = std::numeric_limits<Bytes>::max();
Bytes add_bytes(Bytes a, Bytes b);
Bytes multiply_bytes(Bytes a, Bytes b);

/// "894.1 GiB", "128 MiB", "80 bytes"; powers of 1024, at most one decimal.
std::string human_bytes(Bytes bytes);

}  // namespace loadshare
