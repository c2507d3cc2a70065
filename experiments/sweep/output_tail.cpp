#include "experiments/sweep/output_tail.hpp"

#include <vector>

namespace loadshare::sweep {
namespace {

constexpr std::size_t most_kept_bytes = 64 * 1024;
constexpr std::size_t most_lines = 5;
constexpr std::size_t most_shown_bytes = 2000;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

void OutputTail::append(std::string_view bytes) {
  text_.append(bytes);
  if (text_.size() > 2 * most_kept_bytes) text_.erase(0, text_.size() - most_kept_bytes);
}

std::string OutputTail::last_lines() const {
  std::string_view rest = text_;
  std::string lines;
  for (std::size_t count = 0; count < most_lines && !rest.empty();) {
    const std::size_t end = rest.rfind('\n');
    const std::string_view line = end == std::string_view::npos ? rest : rest.substr(end + 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
    if (is_blank(line)) continue;
    lines = lines.empty() ? std::string(line) : std::string(line) + "\n" + lines;
    ++count;
  }
  return lines.size() > most_shown_bytes ? lines.substr(lines.size() - most_shown_bytes) : lines;
}

}  // namespace loadshare::sweep
