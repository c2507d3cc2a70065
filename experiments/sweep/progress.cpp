#include "experiments/sweep/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/timing/wording.hpp"

namespace loadshare::sweep {
namespace {

constexpr double bar_interval_s = 0.2;
constexpr double first_line_s = 2;
constexpr double first_line_interval_s = 5;
constexpr double longest_line_interval_s = 60;
constexpr double line_interval_growth = 1.5;

/// Rounded down, so that 100 % means done.
Index percent(const Tally& tally) {
  const Index total = tally.done + tally.left;
  return total > 0 ? 100 * tally.done / total : 100;
}

}  // namespace

SweepProgress::SweepProgress(ProgressMode mode, int columns_wide, Sink sink)
    : mode_(mode), columns_wide_(columns_wide), sink_(std::move(sink)) {
  interval_s_ = mode == ProgressMode::bar ? bar_interval_s : first_line_interval_s;
}

bool SweepProgress::is_due(double now_s) {
  if (mode_ == ProgressMode::none) return false;
  if (!has_started_) due_s_ = now_s + (mode_ == ProgressMode::bar ? 0 : first_line_s);
  has_started_ = true;
  if (now_s < due_s_) return false;
  due_s_ = now_s + interval_s_;
  if (mode_ != ProgressMode::bar)
    interval_s_ = std::min(interval_s_ * line_interval_growth, longest_line_interval_s);
  return true;
}

void SweepProgress::update(double now_s, const Tally& tally, std::string_view current) {
  if (!is_due(now_s)) return;
  const std::string line = text(tally, current);
  if (mode_ != ProgressMode::bar) return sink_(line + "\n");
  // A terminal wraps a line that fills its last column; "\x1b[K" wipes what a longer line left behind.
  sink_("\r" + line.substr(0, static_cast<std::size_t>(std::max(columns_wide_ - 1, 1))) + "\x1b[K");
  has_bar_ = true;
}

std::string SweepProgress::text(const Tally& tally, std::string_view current) const {
  std::string line =
      fmt::format("sweep  {}/{} runs  {} %", tally.done, tally.done + tally.left, percent(tally));
  if (tally.failed > 0) line += fmt::format("  {} failed", tally.failed);
  if (tally.left_s > 0)
    line += fmt::format("  ETA {}{}", tally.may_end_early ? "at most " : "", clock_text(tally.left_s));
  return line.append("  ").append(current);
}

void SweepProgress::clear() {
  if (!has_bar_) return;
  has_bar_ = false;
  sink_("\r\x1b[K");
}

}  // namespace loadshare::sweep
