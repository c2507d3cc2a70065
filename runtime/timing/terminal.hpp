#pragma once

#include <string_view>

#include "runtime/timing/progress.hpp"

namespace loadshare {

/// What tells whether a line can be drawn over itself on stderr.
struct TerminalFacts {
  bool is_terminal = false;        ///< stderr is a terminal
  bool is_dumb = false;            ///< TERM is "dumb": no cursor movement
  bool is_under_launcher = false;  ///< mpirun or a batch system collects the output, line by line
};

/// The facts of this process.
TerminalFacts terminal_facts();

/// What `automatic` comes to; other modes stay as asked. Under mpirun a rank's stdout is a pseudo-terminal
/// and its stderr is not, so that a terminal alone is no sign: a launcher always means whole lines.
ProgressMode settled(ProgressMode asked, const TerminalFacts& facts);

/// The width of the terminal behind `descriptor`, or `fallback` where there is none or it does not say.
int terminal_width(int descriptor, int fallback);

/// Writes to stderr at once; what cannot be written is dropped (progress is no reason to fail a run).
void write_stderr(std::string_view text);

}  // namespace loadshare
