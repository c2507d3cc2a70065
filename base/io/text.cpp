#include "base/io/text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace loadshare {
namespace {

/// Returns the value with three significant digits.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

/// The character at the beginning of a text; `bytes` is 0 if that is not UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Character first_character(std::string_view text) {
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800,
                                          0x10000};  // smaller codes have a shorter encoding
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  char32_t code = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[bytes] || code > 0x10ffff || is_surrogate ? Character{} : Character{code, bytes};
}

/// Whether the character moves the cursor, ends a line or changes the direction of writing.
bool is_control(char32_t code) {
  const auto is_from = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  return code < 0x20 || is_from(0x7f, 0x9f) || is_from(0x200e, 0x200f) || is_from(0x2028, 0x202e) ||
         is_from(0x2066, 0x2069);
}

std::string escaped(std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  if (bytes == "\t") return "\\t";
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

/// The columns that a terminal needs for a line in UTF-8: colours (ESC [ ... m) take none.
int columns_of(std::string_view line) {
  int columns = 0;
  bool is_in_escape = false;
  for (const char byte : line) {
    if (byte == '\x1b') is_in_escape = true;
    const bool goes_on = (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
    if (!is_in_escape && !goes_on) ++columns;
    if (byte == 'm') is_in_escape = false;
  }
  return columns;
}

/// The width of the label that `line` begins with, and of the spaces behind it; `without_label` if it has
/// none.
int label_width(std::string_view line, int width, int without_label) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::size_t text = std::min(line.find_first_not_of(' ', end), line.size());
  const bool is_label = line.substr(0, end).ends_with(':') || text - end >= 2;
  const auto label = static_cast<int>(text);
  return is_label && label <= width / 2 ? label : without_label;
}

std::string fitted_line(std::string_view line, int width, int hang) {
  constexpr int least_width = 10;
  if (columns_of(line) <= width) return std::string(line);
  const auto indent = static_cast<int>(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view body = line.substr(static_cast<std::size_t>(indent));
  const int left = std::max(width - indent, least_width);
  return std::string(line.substr(0, static_cast<std::size_t>(indent))) +
         hung(wrapped(body, left, label_width(body, left, indent > 0 ? 2 : hang)), indent);
}

/// Calls `use` with each line of `text`, without its end.
void for_each_line(std::string_view text, auto use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool goes_on_in(std::string_view line, std::string_view next) {
  if (line.empty() || next.empty() || next.front() == ' ') return false;
  return std::string_view(".:?!").find(line.back()) == std::string_view::npos && line.front() != ' ';
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

std::string hung(std::string_view text, int indent) {
  std::string result;
  for (const char letter : text) {
    result += letter;
    if (letter == '\n') result.append(static_cast<std::size_t>(indent), ' ');
  }
  return result;
}

std::string fitted(std::string_view text, int width, int hang) {
  std::string result;
  for_each_line(text, [&](std::string_view line) { result += fitted_line(line, width, hang) + "\n"; });
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

std::string fitted_paragraphs(std::string_view text, int width) {
  std::string joined, last;
  for_each_line(text, [&](std::string_view line) {
    joined += joined.empty() ? "" : goes_on_in(last, line) ? " " : "\n";
    joined += line;
    last = line;
  });
  return fitted(joined + (text.ends_with('\n') ? "\n" : ""), width, 0);
}

std::string printable(std::string_view text, std::size_t most_bytes) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    const std::string_view bytes = text.substr(at, std::max<std::size_t>(character.bytes, 1));
    if (at + bytes.size() > most_bytes) return safe + "...";
    const bool is_plain = character.bytes > 0 && !is_control(character.code);
    safe += is_plain ? std::string(bytes) : escaped(bytes);
    at += bytes.size();
  }
  return safe;
}

std::string printable_lines(std::string_view text) {
  std::string safe;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    safe += printable(text.substr(begin, end - begin), std::string::npos);
    if (end < text.size()) safe += '\n';
    begin = end + 1;
  }
  return safe;
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

}  // namespace loadshare
