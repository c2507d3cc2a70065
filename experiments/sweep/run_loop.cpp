#include "experiments/sweep/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "runtime/host/clock.hpp"

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

constexpr Index most_failures_at_first = 5;

/// Throws Error if ranks are missing in the record. Another MPI's launcher starts several runs of one rank
/// each, and a record describes one of them.
void require_all_ranks(const ProgramRecord& record, std::optional<Index> started) {
  if (!started || !record.ranks || *record.ranks == *started) return;
  throw Error(ExitCode::run_failed,
              fmt::format("the record is of {}, but {} started", count_text(*record.ranks, "rank", "ranks"),
                          *started == 1 ? "1 was" : fmt::format("{} were", *started)),
              "the launcher may belong to another MPI than the program's", "run loadshare doctor to check");
}

void remove(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
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

RunLoop::RunLoop(LoopParts parts, Index earlier, Index already_done)
    : parts_(std::move(parts)),
      order_(earlier),
      earlier_(earlier),
      already_done_(already_done),
      begun_s_(monotonic_s()),
      last_end_s_(begun_s_) {}

void RunLoop::run() {
  begun_s_ = last_end_s_ = monotonic_s();
  while (!*parts_.is_interrupted && !has_given_up()) {
    const auto planned = parts_.plan->next();
    if (!planned) break;
    current_ = planned->point;
    show_progress();
    RunEntry entry = make(*planned);
    keep(entry, take_record(entry));
  }
  current_ = nullptr;
}

bool RunLoop::has_given_up() const {
  return earlier_ == 0 && failed_ == done_ && failed_ >= most_failures_at_first && parts_.plan->left() > 0;
}

RunEntry RunLoop::make(const PlannedRun& planned) {
  RunEntry entry;
  entry.run = planned;
  entry.order = order_++;
  entry.load = load_of(parts_.spec->seed, *planned.experiment, *planned.point, planned.repetition);
  entry.command = command_of(*planned.experiment, *planned.point, entry.load,
                             parts_.starters.at(planned.experiment->name));
  entry.started_at = utc_text(std::time(nullptr));
  remove(parts_.record_file);
  Words whole = entry.command;
  whole.insert(whole.end(), {"--json", parts_.record_file, "--progress", "none"});
  entry.outcome = parts_.executor->run(whole, planned.experiment->launch.timeout_s);
  entry.overhead_s = entry.outcome.begun_s - last_end_s_;
  last_end_s_ = entry.outcome.begun_s + entry.outcome.wall_s;
  return entry;
}

std::optional<double> RunLoop::take_record(RunEntry& entry) {
  std::optional<double> makespan_s;
  try {
    const ProgramRecord record = read_record(parts_.record_file);
    require_all_ranks(record, ranks_of(*entry.run.experiment, *entry.run.point));
    entry.record = record.line;
    loops_ = std::max(loops_, record.loops);
    if (entry.outcome.status == Status::ok) makespan_s = record.makespan_s;
  } catch (const Error& error) {
    if (entry.outcome.status == Status::ok) {
      entry.outcome.status = Status::failed;
      entry.outcome.error = error.what();
    }
  }
  remove(parts_.record_file);
  return makespan_s;
}

void RunLoop::keep(RunEntry& entry, std::optional<double> makespan_s) {
  parts_.append(to_json_line(entry));
  parts_.plan->done(entry.run, makespan_s);
  ++done_;
  if (entry.outcome.status == Status::ok || entry.outcome.status == Status::interrupted) return;
  ++failed_;
  parts_.complain(entry.run, entry.outcome);
}

void RunLoop::show_progress() const {
  Tally tally;
  tally.done = already_done_ + done_;
  tally.failed = failed_;
  tally.left = parts_.plan->left() + (current_ != nullptr ? 1 : 0);
  const double mean_s = done_ > 0 ? (last_end_s_ - begun_s_) / static_cast<double>(done_) : 0;
  const double spent_s = std::min(monotonic_s() - last_end_s_, mean_s);
  tally.left_s = mean_s * static_cast<double>(tally.left) - spent_s;
  tally.may_end_early = parts_.plan->may_end_early();
  parts_.show(tally, current_ != nullptr ? std::string_view(current_->id) : "");
}

}  // namespace loadshare::sweep
