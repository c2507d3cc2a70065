#include "runtime/records/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "base/io/text.hpp"

namespace loadshare {
namespace {

// A short run draws no bar, which would only flash.
constexpr double first_bar_s = 0.3;
constexpr double bar_interval_s = 0.1;
constexpr int longest_bar_field = 42;
constexpr int shortest_bar_field = 12;
constexpr double first_line_s = 2;
constexpr double first_line_interval_s = 5;
constexpr double longest_line_interval_s = 30;
constexpr double line_interval_growth = 1.5;

constexpr double least_rate_memory_s = 10;
constexpr double rate_memory_of_elapsed = 0.25;
/// Estimates need at least this much time.
constexpr double least_eta_basis_s = 1;

std::string rate_text(double per_second) {
  if (per_second >= 10) return grouped_text(std::llround(per_second));
  return fmt::format("{:.2g}", per_second);
}

/// A terminal needs a row for the bar and some for the program.
constexpr int fewest_rows = 3;
// Save and restore the cursor; move it down, scrolling if necessary.
constexpr std::string_view save = "\0337", restore = "\0338", down = "\033D";
/// Erases the last row, and lets all rows scroll again.
constexpr std::string_view last_row_given_back = "\0337\033[r\033[999;1H\033[K\0338";
/// Whether this process's terminal has a reserved row.
std::atomic<bool> is_last_row_reserved = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // required in a signal handler

/// Returns the text that scrolls the last row up and reserves it, with the cursor above it.
std::string reserving(int rows) {
  return fmt::format("{}\033[A{}\033[1;{}r{}", down, save, rows - 1, restore);
}

/// Removes the bar, and ends the process as the signal would have.
void leave_bar_and_end(int signal) {
  leave_progress_bar();
  std::raise(signal);
}

void leave_bar_and_stop(int signal);

/// Installs the handler if the signal has its default action.
void replace_default(int signal, void (*handler)(int), unsigned flags) {
  struct sigaction now {};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  now.sa_handler = handler;
  now.sa_flags = static_cast<int>(flags | SA_RESETHAND);
  sigaction(signal, &now, nullptr);
}

void leave_progress_bar_on_stop() {
  replace_default(SIGTSTP, leave_bar_and_stop, SA_NODEFER | SA_RESTART);
}

/// Removes the bar, and stops the process as the signal would have. The next update after it continues draws
/// the bar again.
void leave_bar_and_stop(int signal) {
  leave_progress_bar();
  std::raise(signal);
  leave_progress_bar_on_stop();
}

void leave_progress_bar_at_exit() {
  static const bool is_registered = std::atexit(leave_progress_bar) == 0;
  (void)is_registered;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV,
                           SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU})
    leave_progress_bar_on(signal);
  leave_progress_bar_on_stop();
}

/// Returns the percentage, rounded down so that 100 % means done.
Index whole_percent(Index done, Index total) {
  if (total <= 0) return 100;
  return static_cast<Index>(100.0 * static_cast<double>(done) / static_cast<double>(total));
}

/// Joins the first fields that fit into a line.
std::string joined(const std::vector<std::string>& fields, int columns_wide) {
  const auto width = static_cast<std::size_t>(std::max(columns_wide, 1));
  std::string line;
  for (const std::string& field : fields) {
    const std::string_view gap = line.empty() ? "" : "  ";
    if (line.size() + gap.size() + field.size() > width) break;
    line.append(gap).append(field);
  }
  return line;
}

/// Returns the bar `[#####...........]`, of `width` characters in all.
std::string bar_field(Index done, Index total, int width) {
  const int room = width - 2;
  const auto filled = static_cast<int>(whole_percent(done, total) * room / 100);
  return fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", room - filled);
}

}  // namespace

void SmoothedRate::observe(double now_s, Index done) {
  if (!has_start_) {
    has_start_ = true;
    start_s_ = last_s_ = now_s;
    last_done_ = done;
    return;
  }
  const double passed_s = now_s - last_s_;
  const double elapsed_s = now_s - start_s_;
  // Ignore updates without progress, so that the rate does not sink between two long chunks.
  if (done <= last_done_ || passed_s <= 0) return;
  const double memory_s = std::max(least_rate_memory_s, rate_memory_of_elapsed * elapsed_s);
  const double weight = std::max(passed_s / elapsed_s, -std::expm1(-passed_s / memory_s));
  rate_ += weight * (static_cast<double>(done - last_done_) / passed_s - rate_);
  last_s_ = now_s;
  last_done_ = done;
}

std::optional<double> SmoothedRate::remaining_s(double now_s, Index left) const {
  constexpr double later = 0.25;
  if (!(rate_ > 0) || now_s - start_s_ < least_eta_basis_s) return std::nullopt;
  return std::max(static_cast<double>(left) / rate_, later * (now_s - last_s_));
}

Progress::Progress(ProgressOptions options, Sink sink)
    : options_(std::move(options)), sink_(std::move(sink)) {
  if (options_.mode == ProgressMode::automatic) options_.mode = ProgressMode::lines;
  interval_s_ = options_.mode == ProgressMode::bar ? bar_interval_s : first_line_interval_s;
}

void Progress::start(double now_s) {
  has_started_ = true;
  if (options_.mode == ProgressMode::none)
    due_s_ = std::numeric_limits<double>::infinity();
  else
    due_s_ = now_s + (options_.mode == ProgressMode::bar ? first_bar_s : first_line_s);
}

void Progress::update(const ProgressPoint& point) {
  if (!has_started_) {
    start(point.now_s);
    rate_.observe(point.now_s, point.done);
  }
  if (point.now_s < due_s_) return;
  rate_.observe(point.now_s, point.done);
  print(point);
}

void Progress::print(const ProgressPoint& point) {
  due_s_ = point.now_s + interval_s_;
  if (options_.mode == ProgressMode::bar) return draw(point);
  sink_(text(point, std::numeric_limits<int>::max()) + "\n");
  interval_s_ = std::min(interval_s_ * line_interval_growth, longest_line_interval_s);
}

void Progress::draw(const ProgressPoint& point) {
  constexpr std::string_view wipe_the_rest = "\033[K";  // of an earlier, longer line
  const TerminalSize size = options_.size();
  const std::string line = text(point, size.columns);
  has_bar_ = true;
  if (size.rows < fewest_rows) return sink_(fmt::format("\r{}{}", line, wipe_the_rest));
  std::string out;
  const bool has_changed = size.rows != std::exchange(reserved_of_, size.rows);
  const bool was_reserved = is_last_row_reserved.exchange(true);
  if (was_reserved && has_changed) out += last_row_given_back;
  if (!was_reserved || has_changed) out += reserving(size.rows);
  sink_(out + fmt::format("{}\033[{};1H{}{}{}", save, size.rows, line, wipe_the_rest, restore));
  if (!is_last_row_reserved)
    sink_(last_row_given_back);  // a signal handler may have released the row before it was reserved
}

std::optional<double> Progress::remaining_s(const ProgressPoint& point) const {
  if (point.done >= point.total) return std::nullopt;
  if (point.remaining_s) return point.remaining_s;
  return rate_.remaining_s(point.now_s, point.total - point.done);
}

std::string Progress::text(const ProgressPoint& point, int columns) const {
  std::vector<std::string> fields;
  if (!options_.app.empty()) fields.push_back(options_.app);
  fields.push_back(fmt::format("{}/{} {}", point.done, point.total, options_.iteration_name));
  fields.push_back(fmt::format("{} %", whole_percent(point.done, point.total)));
  // Without reports from the body, nothing else is known before its first chunk returns.
  if (point.done == 0 && point.in_work > 0) fields.push_back(fmt::format("{} being computed", point.in_work));
  if (const double rate = rate_.per_second(); rate > 0)
    fields.push_back(fmt::format("{} {}/s", rate_text(rate), options_.iteration_name));
  if (const auto rest_s = remaining_s(point)) fields.push_back(fmt::format("ETA {}", clock_text(*rest_s)));
  if (options_.mode != ProgressMode::bar) return joined(fields, columns);
  const int width = columns - 1;  // a terminal wraps a line that fills its last column
  // The bar gets the rest of the line.
  const int rest = static_cast<int>(joined(fields, std::numeric_limits<int>::max()).size()) + 2;
  if (const int bar = std::min(longest_bar_field, width - rest); bar >= shortest_bar_field)
    fields.insert(fields.begin() + (options_.app.empty() ? 0 : 1), bar_field(point.done, point.total, bar));
  return joined(fields, width);
}

void Progress::clear() {
  if (!std::exchange(has_bar_, false)) return;
  if (std::exchange(reserved_of_, 0) == 0) return sink_("\r\033[K");
  if (is_last_row_reserved.exchange(false)) sink_(last_row_given_back);
}

void leave_progress_bar() {
  const int error = errno;  // errno of a call that a signal may have interrupted
  if (is_last_row_reserved.exchange(false))
    (void)!write(STDERR_FILENO, last_row_given_back.data(), last_row_given_back.size());
  errno = error;
}

void leave_progress_bar_on(int signal) {
  replace_default(signal, leave_bar_and_end, 0);
}

TerminalFacts terminal_facts() {
  const char* term = std::getenv("TERM");
  const std::string_view terminal = term == nullptr ? "" : term;
  return {.is_terminal = isatty(STDERR_FILENO) == 1,
          .is_dumb = terminal.empty() || terminal == "dumb",
          .is_under_launcher = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr ||
                               std::getenv("SLURM_JOB_ID") != nullptr ||
                               std::getenv("SLURM_PROCID") != nullptr,
          .rows = terminal_size(STDERR_FILENO).rows};
}

ProgressMode resolved(ProgressMode asked, const TerminalFacts& facts) {
  if (asked != ProgressMode::automatic) return asked;
  const bool can_redraw =
      facts.is_terminal && !facts.is_dumb && !facts.is_under_launcher && facts.rows >= fewest_rows;
  return can_redraw ? ProgressMode::bar : ProgressMode::lines;
}

ProgressOptions progress_options_on_stderr(ProgressMode asked, std::string app, std::string iteration_name) {
  const TerminalFacts facts = terminal_facts();
  const ProgressMode mode = resolved(asked, facts);
  if (mode == ProgressMode::bar) leave_progress_bar_at_exit();
  return {mode, std::move(app), std::move(iteration_name), [facts] {
            TerminalSize size = terminal_size(STDERR_FILENO);
            if (facts.is_dumb) size.rows = 0;  // its rows cannot be addressed
            return size;
          }};
}

void write_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void write_note(std::string_view text) {
  write_stderr(fitted_to_stderr(text));
}

}  // namespace loadshare
