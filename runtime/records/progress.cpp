#include "runtime/records/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/io/text.hpp"

namespace loadshare {
namespace {

// A run that is over at once draws no bar that only flashes.
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
/// Before this much time an estimate would be a guess.
constexpr double least_eta_basis_s = 1;

std::string rate_text(double per_second) {
  if (per_second >= 10) return grouped_text(std::llround(per_second));
  return fmt::format("{:.2g}", per_second);
}

/// Rounded down, so that 100 % means done.
Index whole_percent(Index done, Index total) {
  if (total <= 0) return 100;
  return static_cast<Index>(100.0 * static_cast<double>(done) / static_cast<double>(total));
}

/// The fields side by side, as many as fit.
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

/// `[#####...........]`, `width` characters in all.
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
  // Only progress is news: between two long chunks the rate does not sink.
  if (done <= last_done_ || passed_s <= 0) return;
  const double memory_s = std::max(least_rate_memory_s, rate_memory_of_elapsed * elapsed_s);
  const double weight = std::max(passed_s / elapsed_s, -std::expm1(-passed_s / memory_s));
  rate_ += weight * (static_cast<double>(done - last_done_) / passed_s - rate_);
  last_s_ = now_s;
  last_done_ = done;
}

Progress::Progress(ProgressOptions options, Sink sink)
    : options_(std::move(options)), sink_(std::move(sink)) {
  if (options_.mode == ProgressMode::automatic) options_.mode = ProgressMode::lines;
  interval_s_ = options_.mode == ProgressMode::bar ? bar_interval_s : first_line_interval_s;
}

void Progress::start(double now_s) {
  has_started_ = true;
  start_s_ = now_s;
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
  const std::string line = text(point);
  due_s_ = point.now_s + interval_s_;
  if (options_.mode == ProgressMode::bar) {
    // "\x1b[K" wipes what a longer line left behind.
    sink_("\r" + line + "\x1b[K");
    has_bar_ = true;
    return;
  }
  sink_(line + "\n");
  interval_s_ = std::min(interval_s_ * line_interval_growth, longest_line_interval_s);
}

std::optional<double> Progress::remaining_s(const ProgressPoint& point) const {
  if (point.done >= point.total) return std::nullopt;
  if (point.remaining_s) return point.remaining_s;
  const double rate = rate_.per_second();
  if (!(rate > 0) || point.now_s - start_s_ < least_eta_basis_s) return std::nullopt;
  return static_cast<double>(point.total - point.done) / rate;
}

std::string Progress::text(const ProgressPoint& point) const {
  std::vector<std::string> fields;
  if (!options_.app.empty()) fields.push_back(options_.app);
  fields.push_back(fmt::format("{}/{} {}", point.done, point.total, options_.iteration_name));
  fields.push_back(fmt::format("{} %", whole_percent(point.done, point.total)));
  if (const double rate = rate_.per_second(); rate > 0)
    fields.push_back(fmt::format("{} {}/s", rate_text(rate), options_.iteration_name));
  if (const auto rest_s = remaining_s(point)) fields.push_back(fmt::format("ETA {}", clock_text(*rest_s)));
  if (options_.mode != ProgressMode::bar) return joined(fields, std::numeric_limits<int>::max());
  const int width = options_.columns_wide - 1;  // a terminal wraps a line that fills its last column
  // The bar gets what the rest leaves of the line.
  const int rest = static_cast<int>(joined(fields, std::numeric_limits<int>::max()).size()) + 2;
  if (const int bar = std::min(longest_bar_field, width - rest); bar >= shortest_bar_field)
    fields.insert(fields.begin() + (options_.app.empty() ? 0 : 1), bar_field(point.done, point.total, bar));
  return joined(fields, width);
}

void Progress::clear() {
  if (!has_bar_) return;
  has_bar_ = false;
  sink_("\r\x1b[K");
}

TerminalFacts terminal_facts() {
  const char* terminal = std::getenv("TERM");
  return {.is_terminal = isatty(STDERR_FILENO) == 1,
          .is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb",
          .is_under_launcher = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr ||
                               std::getenv("SLURM_JOB_ID") != nullptr ||
                               std::getenv("SLURM_PROCID") != nullptr};
}

ProgressMode resolved(ProgressMode asked, const TerminalFacts& facts) {
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
