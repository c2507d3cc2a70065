#pragma once

#include <optional>
#include <string_view>

namespace loadshare::yaml {

// Quantities as people write them; nothing where a text is none. Never negative, always finite.

/// A plain number, also below zero: `0.5`, `-3`, `1e6`.
std::optional<double> parse_number(std::string_view text);

/// Seconds, of `250us`, `250ms`, `1.5s`, `2min`, `1h`.
std::optional<double> parse_duration_s(std::string_view text);

/// Bits a second, of `100mbit`, `9600bit`, `64kbit`, `2.5gbit` (powers of ten).
std::optional<double> parse_rate_bits_per_s(std::string_view text);

/// A share of 1, of `2%` or `2.5 %`.
std::optional<double> parse_percentage(std::string_view text);

}  // namespace loadshare::yaml
