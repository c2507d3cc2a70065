#include "base/io/text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace loadshare {
namespace {

/// Three digits, as many of them behind the point as that leaves.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 0) return fmt::format("-{}", duration_text(-seconds));
  if (seconds < 1e-9) return "0 s";
  if (seconds < 999.5e-9) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 999.5e-6) return three_digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds < 119.95) return three_digits(seconds) + " s";
  constexpr double beyond_counting_s = 1e12;
  if (seconds > beyond_counting_s) return fmt::format("{:.0e} h", seconds / 3600);
  const auto whole = std::llround(seconds);
  if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string clock_text(double seconds) {
  const auto whole = std::llround(std::max(0.0, seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole % 3600 / 60, whole % 60);
}

std::string flops_text(double operations_per_s) {
  struct Unit {
    double size;
    std::string_view name;
  };
  constexpr std::array units{Unit{1e15, "PFLOP/s"}, Unit{1e12, "TFLOP/s"}, Unit{1e9, "GFLOP/s"},
                             Unit{1e6, "MFLOP/s"}, Unit{1e3, "kFLOP/s"}};
  for (const Unit& unit : units)
    if (operations_per_s >= unit.size)
      return fmt::format("{:.1f} {}", operations_per_s / unit.size, unit.name);
  return fmt::format("{:.1f} FLOP/s", operations_per_s);
}

std::string percent_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", share * 100) : "-";
}

std::string grouped_text(Index number) {
  std::string text = fmt::format("{}", number);
  const std::ptrdiff_t sign = number < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > sign; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string count_text(Index number, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", grouped_text(number), number == 1 ? singular : plural);
}

std::string count_text(Index number, std::string_view plural) {
  return count_text(number, plural.ends_with('s') ? plural.substr(0, plural.size() - 1) : plural, plural);
}

std::string wrapped(std::string_view text, int width, int indent) {
  std::string result;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (used > 0 && used + 1 + word.size() > static_cast<std::size_t>(width)) {
      result.append(1, '\n').append(static_cast<std::size_t>(indent), ' ');
      used = static_cast<std::size_t>(indent);
    } else if (used > 0) {
      result.append(1, ' ');
      ++used;
    }
    result.append(word);
    used += word.size();
  }
  return result;
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

}  // namespace loadshare
