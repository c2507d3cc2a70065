#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/names.hpp"
#include "base/types.hpp"

namespace loadshare {

/// How a run tells that it goes on: one line drawn over and over, whole lines at growing intervals (what a
/// pipe or a batch system's log can take), or nothing. `automatic` is resolved once, see resolved().
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

struct TerminalSize {
  int columns = 80;
  int rows = 0;  ///< 0: not known
};

struct ProgressOptions {
  ProgressMode mode = ProgressMode::lines;  ///< `automatic` counts as `lines`
  std::string app;
  std::string iteration_name = "iterations";
  /// Returns the terminal's current size: a line that is drawn repeatedly must not wrap, and uses the last
  /// row.
  std::function<TerminalSize()> size = [] { return TerminalSize{}; };
};

/// The rate of progress, an average over the whole time at first and later one that forgets: its memory grows
/// with the run, so that chunks which take minutes do not make it jump. Pure.
class SmoothedRate {
 public:
  /// `done` iterations in all at `now_s`, seconds of a clock that never goes back.
  void observe(double now_s, Index done);
  /// Iterations per second; 0 until there is a basis.
  double per_second() const { return rate_; }
  /// Returns the seconds until so many more iterations are done, or nothing if there is no basis. They are at
  /// least a quarter of the time since the last iteration was done.
  std::optional<double> remaining_s(double now_s, Index left) const;

 private:
  bool has_start_ = false;
  double start_s_ = 0;
  double last_s_ = 0;
  Index last_done_ = 0;
  double rate_ = 0;
};

/// How far a run is.
struct ProgressPoint {
  double now_s = 0;  ///< on any steady clock, never backwards
  Index done = 0;
  Index total = 0;
  std::optional<double> remaining_s = {};  ///< forecast; nothing: to be taken from the rate so far
  Index in_work = 0;  ///< iterations of the chunks that workers compute now, where that is known
};

/// Tells a person how far the run is: `matmul  412/720 columns  57 %  1,234 columns/s  ETA 0:12`, as a bar
/// with `[##########........]` before the numbers where the line has room. Knows no clock and no terminal:
/// the time comes in with each update, the text goes out through the sink. To be called from one thread; an
/// update that is not due costs a comparison.
///
/// The bar has the terminal's last row for itself. The other rows alone scroll (DECSTBM), so that what the
/// program and its child processes print there meanwhile is not mixed into the bar, and the cursor stays
/// where they left it. If the number of rows is not known, the bar is drawn where the cursor is.
class Progress {
 public:
  using Sink = std::function<void(std::string_view)>;

  Progress(ProgressOptions options, Sink sink);

  /// The first call is the start of the rate.
  void update(const ProgressPoint& point);

  /// Takes the bar off the screen, before something else is printed there or at the end; the next update that
  /// is due draws it again.
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
  int reserved_of_ = 0;  // rows of the terminal, when the last one was reserved
  double due_s_ = 0;
  double interval_s_ = 0;
};

/// What tells whether a line can be drawn over itself on stderr.
struct TerminalFacts {
  bool is_terminal = false;        ///< stderr is a terminal
  bool is_dumb = false;            ///< TERM is "dumb" or not set: no cursor movement
  bool is_under_launcher = false;  ///< mpirun or a batch system collects the output, line by line
  int rows = 24;                   ///< 0: not known
};

/// The facts of this process.
TerminalFacts terminal_facts();

/// What `automatic` comes to; other modes stay as asked. Under mpirun a rank's stdout is a pseudo-terminal
/// and its stderr is not, so that a terminal alone is no sign: a launcher always means whole lines.
ProgressMode resolved(ProgressMode asked, const TerminalFacts& facts);

/// For a Progress that writes to stderr. If it draws a bar, an end of the process by `exit` leaves the bar
/// from now on, and so do signals without a handler that end or stop the process.
ProgressOptions progress_options_on_stderr(ProgressMode asked, std::string app, std::string iteration_name);

/// Returns the size of the terminal at `descriptor`, or the default if it is unknown.
TerminalSize terminal_size(int descriptor);
/// Returns the terminal's width, or `fallback`.
int terminal_width(int descriptor, int fallback);

/// Wipes the bar that a Progress of this process has on the terminal, and gives the terminal's last row back.
/// Does nothing if there is none. A signal handler may call it.
void leave_progress_bar();
/// From now on, an end by that signal does so, too, unless it has a handler. A signal handler may call it.
void leave_progress_bar_on(int signal);

/// Writes to stderr at once; what cannot be written is dropped (progress is no reason to fail a run).
void write_stderr(std::string_view text);

}  // namespace loadshare
