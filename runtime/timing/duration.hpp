#pragma once

#include <string>
#include <string_view>

namespace loadshare {

/// No duration that is asked for is longer: 30 years, of which a clock's nanoseconds hold ten times.
inline constexpr double longest_duration_s = 1e9;

/// Seconds of a duration as a person writes it: `1s`, `250ms`, `1.5s`, `2min`; a bare `0` is one too. Throws
/// UsageError, beginning with `what` ("--for", "load: on"), on anything else, on negative ones, and beyond
/// `longest_duration_s`.
double parse_duration_s(std::string_view what, std::string_view text);

/// The shortest such text that gives the duration back: `250ms`, `1.5s`.
std::string short_duration_text(double seconds);

}  // namespace loadshare
