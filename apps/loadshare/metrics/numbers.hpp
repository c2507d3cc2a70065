#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadshare::tool {

/// The value of an option that is a positive number; throws UsageError naming the option where `text` is
/// none, or has anything behind it.
double positive_number(std::string_view option, std::string_view text);

/// Several, separated by commas.
std::vector<double> positive_numbers(std::string_view option, const std::string& text);

}  // namespace loadshare::tool
