#include "runtime/load/share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "schedulers/error.hpp"

namespace loadshare {

double parse_share(std::string_view what, std::string_view text) {
  double share = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, share);
  if (error != std::errc{} || stop != end || !std::isfinite(share))
    throw UsageError(fmt::format("{} is '{}'", what, text), "it is a number between 0 and 1", "try 0.5");
  if (share >= 1)
    throw UsageError(fmt::format("{} is {}", what, text), "a load that takes all leaves the worker nothing",
                     fmt::format("give at most {}", most_load_share));
  if (share <= 0 || share > most_load_share)
    throw UsageError(fmt::format("{} is {}", what, text),
                     "it is the part of the processor that the load takes",
                     fmt::format("give more than 0 and at most {}", most_load_share));
  return share;
}

int threads_for(double share) {
  constexpr double rounding = 1e-9;
  return share > 0 ? std::max(1, static_cast<int>(std::ceil(share / (1 - share) - rounding))) : 0;
}

}  // namespace loadshare
