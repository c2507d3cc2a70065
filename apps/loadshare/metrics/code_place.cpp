#include "apps/loadshare/metrics/code_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "apps/loadshare/metrics/losses.hpp"

namespace loadshare::tool {
namespace {

constexpr const char* address_sign = "+0x";

bool is_address(const waiting::Loss& loss) {
  return loss.place.find(address_sign) != std::string::npos;
}

/// Of "solve(int) at my prog+0x1234", what stands behind the function.
std::string module_and_address(const std::string& place) {
  constexpr std::string_view between = " at ";
  const std::size_t found = place.find(between);
  return found == std::string::npos ? place : place.substr(found + between.size());
}

std::string shell_word(const std::string& name) {
  return name.find(' ') == std::string::npos ? name : "'" + name + "'";
}

}  // namespace

std::string code_place_note(const Point& point) {
  const std::vector<waiting::Loss> losses = shown_losses(point);
  const auto found = std::ranges::find_if(losses, is_address);
  if (found == losses.end()) return "";
  const std::string place = module_and_address(found->place);
  const std::size_t sign = place.rfind(address_sign);
  return fmt::format(
      "{} is in that call: addr2line -Cfpe {} {} names the function, and of a program built with -g the line",
      place, shell_word(place.substr(0, sign)), place.substr(sign + 1));
}

}  // namespace loadshare::tool
