#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "experiments/sweep/command.hpp"
#include "experiments/sweep/folder.hpp"
#include "experiments/sweep/plan.hpp"
#include "experiments/sweep/process.hpp"
#include "runtime/records/progress.hpp"

namespace loadshare::sweep {

/// The progress of a sweep.
struct Tally {
  Index done = 0;              ///< finished runs, with those of earlier sweeps
  Index left = 0;              ///< remaining runs at most, with the current one
  Index failed = 0;            ///< failed runs among the finished ones
  double left_s = 0;           ///< estimated time of the rest; 0 if not known
  bool may_end_early = false;  ///< whether a stop rule may save runs
};

/// Shows the progress of a sweep: `sweep 12/90 runs 13 % 1 failed ETA 3:24 fig3a/scheduler=gss:14`. Uses
/// neither clock nor terminal, like the progress of a run.
class SweepProgress {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// `columns_wide` is the terminal's width, for the bar.
  SweepProgress(ProgressMode mode, int columns_wide, Sink sink);

  /// `current` is the point that is running.
  void update(double now_s, const Tally& tally, std::string_view current);
  /// Removes the bar from the screen before other output.
  void clear();

 private:
  bool is_due(double now_s);
  std::string text(const Tally& tally, std::string_view current) const;

  ProgressMode mode_;
  int columns_wide_;
  Sink sink_;
  bool has_started_ = false;
  bool has_bar_ = false;
  double due_s_ = 0;
  double interval_s_ = 0;
};

/// The objects that the loop uses. The caller owns them, and they outlive the loop.
struct LoopParts {
  const SweepSpec* spec = nullptr;
  Plan* plan = nullptr;
  Executor* executor = nullptr;
  std::map<std::string, Starter> starters;  ///< by experiment
  std::string record_file;                  ///< the file to which a program writes its record
  std::function<void(std::string)> append;  ///< appends a line to runs.jsonl
  std::function<void(const Tally&, std::string_view point)> show;   ///< shows the progress
  std::function<void(const PlannedRun&, const Outcome&)> complain;  ///< reports a failed run
  const std::atomic<bool>* is_interrupted = nullptr;
};

/// Makes the runs of a plan one after the other and appends each to the log as it ends.
class RunLoop {
 public:
  /// `earlier` is the number of runs that the folder contains already.
  RunLoop(LoopParts parts, Index earlier, Index already_done);

  /// Runs until the plan is finished or an interrupt arrives. Throws Error if a run cannot be logged.
  void run();
  /// Shows the progress; may be called during a run.
  void show_progress() const;

  Index done() const { return done_; }
  Index failed() const { return failed_; }
  /// The most loops that a program recorded in one run; only the first one's time is kept and compared.
  Index loops() const { return loops_; }
  /// Whether it ended early because all of the first runs failed. A resumed sweep never gives up, because its
  /// user has seen the failures.
  bool has_given_up() const;

 private:
  RunEntry make(const PlannedRun& planned);
  /// Puts the program's record into the entry. Returns the makespan of a successful run.
  std::optional<double> take_record(RunEntry& entry);
  void keep(RunEntry& entry, std::optional<double> makespan_s);

  LoopParts parts_;
  Index order_;
  Index earlier_;
  Index already_done_;
  Index done_ = 0;
  Index failed_ = 0;
  Index loops_ = 1;
  double begun_s_;
  double last_end_s_;
  const Point* current_ = nullptr;
};

}  // namespace loadshare::sweep
