#include "apps/loadshare/metrics/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/number.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {

double positive_number(std::string_view option, std::string_view text) {
  const double value = number(option, text);
  if (value <= 0) throw UsageError(fmt::format("{} is {}", option, text), "it must be more than 0");
  return value;
}

std::vector<double> positive_numbers(std::string_view option, const std::string& text) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(positive_number(option, std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return values;
}

}  // namespace loadshare::tool
