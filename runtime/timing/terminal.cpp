#include "runtime/timing/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace loadshare {

TerminalFacts terminal_facts() {
  const char* terminal = std::getenv("TERM");
  return {.is_terminal = isatty(STDERR_FILENO) == 1,
          .is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb",
          .is_under_launcher = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr ||
                               std::getenv("SLURM_JOB_ID") != nullptr ||
                               std::getenv("SLURM_PROCID") != nullptr};
}

ProgressMode settled(ProgressMode asked, const TerminalFacts& facts) {
  if (asked != ProgressMode::automatic) return asked;
  const bool can_redraw = facts.is_terminal && !facts.is_dumb && !facts.is_under_launcher;
  return can_redraw ? ProgressMode::bar : ProgressMode::lines;
}

int terminal_width(int descriptor, int fallback) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return size.ws_col;
}

void write_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace loadshare
