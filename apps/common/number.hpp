#pragma once

#include <optional>
#include <string_view>

namespace loadshare {

/// The finite number that `text` is, all of it ("12.5", "-1e3"), whatever the locale; nothing where it is
/// none.
std::optional<double> parse_number(std::string_view text);

/// The value of an option; throws UsageError naming it where `text` is no finite number.
double number(std::string_view option, std::string_view text);

}  // namespace loadshare
