#include "apps/common/whole_number.hpp"

#include <fmt/format.h>

#include <charconv>

#include "schedulers/error.hpp"

namespace loadshare {

Index whole_number(std::string_view option, const std::string& text, Index least, Index most) {
  Index value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range)
    throw UsageError(fmt::format("{} is {}", option, text), "it is too large to count with");
  if (error != std::errc{} || stop != end)
    throw UsageError(fmt::format("{} is '{}'", option, text), "it must be a whole number");
  if (value < least)
    throw UsageError(fmt::format("{} is {}", option, value), fmt::format("at least {}", least));
  if (value > most) throw UsageError(fmt::format("{} is {}", option, value), fmt::format("at most {}", most));
  return value;
}

std::optional<Index> optional_whole_number(std::string_view option, const std::string& text, Index least,
                                           Index most) {
  if (text.empty()) return std::nullopt;
  return whole_number(option, text, least, most);
}

}  // namespace loadshare
