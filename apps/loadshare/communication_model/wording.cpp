#include "apps/loadshare/communication_model/wording.hpp"

#include <fmt/format.h>

#include <cmath>

#include "runtime/timing/wording.hpp"

namespace loadshare::tool {

std::string fine_duration_text(double seconds) {
  if (seconds == 0) return "0 s";
  return std::abs(seconds) < 999.5e-9 ? fmt::format("{:.3g} ns", seconds * 1e9) : duration_text(seconds);
}

std::string size_text(double size) {
  return size == std::round(size) ? fmt::format("{:.0f}", size) : fmt::format("{:.4g}", size);
}

}  // namespace loadshare::tool
