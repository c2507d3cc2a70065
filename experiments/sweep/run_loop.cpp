#include "experiments/sweep/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "runtime/timing/clock.hpp"
#include "runtime/timing/utc_text.hpp"
#include "schedulers/error.hpp"

namespace loadshare::sweep {
namespace {

constexpr Index most_failures_at_first = 5;

void remove(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace

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
    std::optional<double> makespan_s;
    take_record(entry, makespan_s);
    keep(entry, makespan_s);
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

void RunLoop::take_record(RunEntry& entry, std::optional<double>& makespan_s) const {
  try {
    const ProgramRecord record = read_record(parts_.record_file);
    entry.record = record.line;
    if (entry.outcome.status == Status::ok) makespan_s = record.makespan_s;
  } catch (const Error& error) {
    if (entry.outcome.status == Status::ok) {
      entry.outcome.status = Status::failed;
      entry.outcome.error = error.what();
    }
  }
  remove(parts_.record_file);
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
