#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/terminal.hpp"
#include "base/names.hpp"
#include "base/types.hpp"

namespace loadshare {

/// How a run reports its progress: one line drawn repeatedly, whole lines at growing intervals (for pipes and
/// the logs of batch systems), or nothing. `automatic` is replaced once, see resolved().
enum class ProgressMode { automatic, bar, lines, none };

/// The values of --progress.
inline constexpr Choices<ProgressMode, 4> progress_modes{{{"auto", ProgressMode::automatic},
                                                          {"bar", ProgressMode::bar},
                                                          {"lines", ProgressMode::lines},
                                                          {"none", ProgressMode::none}}};
/// Throws UsageError.
inline ProgressMode parse_progress_mode(std::string_view text) {
  return choose("--progress", text, progress_modes);
}

struct ProgressOptions {
  ProgressMode mode = ProgressMode::lines;  ///< `automatic` counts as `lines`
  std::string app;
  std::string iteration_name = "iterations";
  /// Returns the terminal's current size: a line that is drawn repeatedly must not wrap, and uses the last
  /// row.
  std::function<TerminalSize()> size = [] { return TerminalSize{}; };
};

/// The rate of progress: first an average over the whole time, later one that forgets. Its memory grows with
/// the run, so that chunks which take minutes do not make it jump. Pure.
class SmoothedRate {
 public:
  /// Adds an observation: `done` iterations in total at `now_s`, in seconds of a monotonic clock.
  void observe(double now_s, Index done);
  /// Returns iterations per second; 0 until there are enough observations.
  double per_second() const { return rate_; }
  /// Returns the seconds until `left` more iterations are done, or nothing before there are enough
  /// observations. The result is at least a quarter of the time since the last iteration was done.
  std::optional<double> remaining_s(double now_s, Index left) const;

 private:
  bool has_start_ = false;
  double start_s_ = 0;
  double last_s_ = 0;
  Index last_done_ = 0;
  double rate_ = 0;
};

/// The progress of a run at one time.
struct ProgressPoint {
  double now_s = 0;  ///< on any monotonic clock
  Index done = 0;
  Index total = 0;
  std::optional<double> remaining_s = {};  ///< forecast; nothing: derived from the rate so far
  Index in_work = 0;                       ///< iterations of the chunks being computed, if known
};

/// Shows the user the progress: `matmul  412/720 columns  57 %  1,234 columns/s  ETA 0:12`, as a bar with
/// `[##########........]` before the numbers if the line has room. It has no clock and no terminal: each
/// update brings the time, and the text goes to the sink. Call from one thread; an update that is not due
/// costs one comparison.
///
/// The bar reserves the terminal's last row. The other rows scroll (DECSTBM), so that output of the program
/// and its child processes does not mix with the bar, and the cursor stays in place. If the number of rows is
/// unknown, the bar is drawn at the cursor.
class Progress {
 public:
  using Sink = std::function<void(std::string_view)>;

  Progress(ProgressOptions options, Sink sink);

  /// Draws the progress if that is due. The rate starts at the first call.
  void update(const ProgressPoint& point);

  /// Removes the bar from the screen, before other output or at the end. The next update that is due draws it
  /// again.
  void clear();

 private:
  void start(double now_s);
  void print(const ProgressPoint& point);
  void draw(const ProgressPoint& point);
  std::string text(const ProgressPoint& point, int columns) const;
  std::optional<double> remaining_s(const ProgressPoint& point) const;

  ProgressOptions options_;
  Sink sink_;
  SmoothedRate rate_;
  bool has_started_ = false;
  bool has_bar_ = false;
  int reserved_of_ = 0;  // rows of the terminal when its last row was reserved
  double due_s_ = 0;
  double interval_s_ = 0;
};

/// Facts that decide whether a line on stderr can be redrawn.
struct TerminalFacts {
  bool is_terminal = false;        ///< stderr is a terminal
  bool is_dumb = false;            ///< TERM is "dumb" or not set: no cursor movement
  bool is_under_launcher = false;  ///< mpirun or a batch system collects the output, line by line
  int rows = 24;                   ///< 0: not known
};

/// Returns the facts of this process.
TerminalFacts terminal_facts();

/// Replaces `automatic`; keeps other modes. Under mpirun a rank's stdout is a pseudo-terminal and its stderr
/// is not, so a terminal alone proves nothing: a launcher always means whole lines.
ProgressMode resolved(ProgressMode asked, const TerminalFacts& facts);

/// Returns options for a Progress on stderr. If it draws a bar, the bar is removed when the process ends by
/// `exit`, or by a signal without a handler that ends or stops it.
ProgressOptions progress_options_on_stderr(ProgressMode asked, std::string app, std::string iteration_name);

/// Removes the bar that a Progress of this process has drawn, and releases the terminal's last row. Does
/// nothing without a bar. A signal handler may call it.
void leave_progress_bar();
/// From now on, removes the bar when this signal ends the process, unless it has a handler. A signal handler
/// may call it.
void leave_progress_bar_on(int signal);

/// Writes to stderr immediately. Drops text that cannot be written, because progress is no reason to fail a
/// run.
void write_stderr(std::string_view text);

/// Writes lines for a person likewise: on a terminal they are broken between words to fit it.
void write_note(std::string_view text);

}  // namespace loadshare
