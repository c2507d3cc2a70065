#include "apps/loadshare/metrics/code_place.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadshare::tool {
namespace {

constexpr const char* address_sign = "+0x";

bool is_address(const waiting::Loss& loss) {
  return loss.place.find(address_sign) != std::string::npos;
}

}  // namespace

std::string code_place_note(const Point& point) {
  const std::vector<waiting::Loss>& losses = point.runs.front().losses;
  const auto found = std::ranges::find_if(losses, is_address);
  if (found == losses.end()) return "";
  const std::string place = found->place.substr(found->place.rfind(' ') + 1);  // "solve() at prog+0x1234"
  const std::size_t sign = place.rfind(address_sign);
  return fmt::format(
      "{} is in that call: addr2line -Cfpe {} {} names the function, and of a program built with -g the line",
      place, place.substr(0, sign), place.substr(sign + 1));
}

}  // namespace loadshare::tool
