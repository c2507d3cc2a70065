#include "runtime/timing/json_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace loadshare {

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double rounded_to_ns(double seconds) {
  return std::round(seconds * 1e9) / 1e9 + 0.0;  // + 0.0 turns -0 into 0
}

void append_seconds(std::string& out, double seconds) {
  if (!std::isfinite(seconds)) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out), "{}", rounded_to_ns(seconds));
}

}  // namespace loadshare
