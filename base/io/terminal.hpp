#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadshare {

/// A terminal's size in characters.
struct TerminalSize {
  int columns = 80;
  int rows = 0;  ///< 0: not known
};

/// Returns the size of the terminal at `descriptor`, or the default if it is unknown.
TerminalSize terminal_size(int descriptor);

/// Returns the width that texts on `descriptor` should have: COLUMNS if that is a positive number, otherwise
/// the terminal's width, otherwise nothing.
std::optional<int> text_columns(int descriptor);

/// Returns the same, but `most` at most, and `most` if the width is not known.
int text_columns(int descriptor, int most);

/// Breaks lines that are too long for `descriptor`, as fitted() does. If its width is not known, `text` stays
/// as it is.
std::string fitted_to(int descriptor, std::string_view text);

/// Does so only if stderr is a terminal: programs and files read whole lines.
std::string fitted_to_stderr(std::string_view text);

}  // namespace loadshare
