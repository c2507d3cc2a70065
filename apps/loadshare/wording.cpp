#include "apps/loadshare/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/io/text.hpp"

namespace loadshare::tool {
namespace {

constexpr int note_indent = 6;

std::string option_text(const OptionValue& value) {
  return std::visit([](const auto& scalar) { return fmt::format("{}", scalar); }, value);
}

bool differs(const std::string& name, const OptionValue& value, const std::vector<SettingStudy>& all) {
  return std::ranges::any_of(all, [&](const SettingStudy& other) {
    const auto found = other.setting.options.find(name);
    return found == other.setting.options.end() || found->second != value;
  });
}

bool is_known(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  return std::any_of(rows.begin() + 1, rows.end(),
                     [&](const auto& row) { return row[column] != "-" && !row[column].empty(); });
}

}  // namespace

std::string number_text(const granularity::Figure& figure) {
  if (!figure) return "-";
  if (std::isinf(*figure)) return "infinite";
  const double size = std::abs(*figure);
  if (size < 9.995) return fmt::format("{:.2f}", *figure);
  if (size < 99.95) return fmt::format("{:.1f}", *figure);
  if (size < 999'999.5) return fmt::format("{:.0f}", *figure);
  return fmt::format("{:.2e}", *figure);
}

std::string percent_cell(const granularity::Figure& share) {
  return share ? fmt::format("{:.1f}", *share * 100) : "-";
}

std::string setting_text(const Setting& setting, const std::vector<SettingStudy>& all) {
  std::string text = setting.program;
  const char* separator = ": ";
  for (const auto& [name, value] : setting.options) {
    const bool is_always_told = name == "scheduler" || name == "iterations" || name == "load";
    if (!is_always_told && !differs(name, value, all)) continue;
    text += fmt::format("{}{} {}", separator, name, option_text(value));
    separator = ", ";
  }
  return text;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += wrapped("note  " + note, metrics_width, note_indent) + "\n";
  return text;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!is_known(rows, i)) continue;
      if (!line.empty()) line += "  ";
      line += i < left ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace loadshare::tool
