#include "base/io/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/io/text.hpp"
#include "base/quantities.hpp"

namespace loadshare {
namespace {

/// Narrower texts are hard to read; the terminal may break their lines.
constexpr int fewest_columns = 20;

}  // namespace

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
  const TerminalSize usual;
  return {size.ws_col > 0 ? size.ws_col : usual.columns, size.ws_row};
}

std::optional<int> text_columns(int descriptor) {
  const char* const asked = std::getenv("COLUMNS");
  if (const auto columns = parse_integer<int>(asked == nullptr ? "" : asked); columns && *columns > 0)
    return std::max(*columns, fewest_columns);
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return std::max<int>(size.ws_col, fewest_columns);
}

int text_columns(int descriptor, int most) {
  return std::min(most, text_columns(descriptor).value_or(most));
}

std::string fitted_to(int descriptor, std::string_view text) {
  const auto columns = text_columns(descriptor);
  return columns ? fitted(text, *columns) : std::string(text);
}

std::string fitted_to_stderr(std::string_view text) {
  return isatty(STDERR_FILENO) == 1 ? fitted_to(STDERR_FILENO, text) : std::string(text);
}

}  // namespace loadshare
