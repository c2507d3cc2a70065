#include "apps/common/bytes.hpp"

#include <fmt/format.h>

#include <array>

namespace loadshare {

Bytes add_bytes(Bytes a, Bytes b) {
  return a > too_many_bytes - b ? too_many_bytes : a + b;
}

Bytes multiply_bytes(Bytes a, Bytes b) {
  Bytes result = 0;
  return __builtin_mul_overflow(a, b, &result) ? too_many_bytes : result;
}

std::string human_bytes(Bytes bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes == too_many_bytes) return "more than 16 EiB";
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would print as 1024.0: the next unit already.
  for (; amount >= 1023.95 && unit + 1 < units.size(); ++unit) amount /= 1024;
  std::string digits = fmt::format("{:.1f}", amount);
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  return digits + " " + units[unit];
}

}  // namespace loadshare
