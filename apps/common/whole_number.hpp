#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "schedulers/types.hpp"

namespace loadshare {

/// The value of an option that counts something; throws UsageError naming the option where `text` is not a
/// whole number in [least, most]. (CLI11 itself would read 010 as eight, and say little of what is wrong.)
Index whole_number(std::string_view option, const std::string& text, Index least,
                   Index most = std::numeric_limits<Index>::max());

/// The same where the option may be left out: nothing where `text` is empty.
std::optional<Index> optional_whole_number(std::string_view option, const std::string& text, Index least,
                                           Index most = std::numeric_limits<Index>::max());

}  // namespace loadshare
