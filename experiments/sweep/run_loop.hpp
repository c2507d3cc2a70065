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

/// How far a sweep is.
struct Tally {
  Index done = 0;              ///< runs that need not be made any more
  Index left = 0;              ///< those to come, at most; with the one that runs
  Index failed = 0;            ///< of those done
  double left_s = 0;           ///< how long the rest will take, from what the others took; 0: not known
  bool may_end_early = false;  ///< where a stop rule may save runs
};

/// Tells a person how far the sweep is: `sweep  12/90 runs  13 %  1 failed  ETA 3:24 fig3a/scheduler=gss:14`.
/// Knows no clock and no terminal, as the runs' own progress.
class SweepProgress {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// `columns_wide`: of the terminal, for the bar.
  SweepProgress(ProgressMode mode, int columns_wide, Sink sink);

  /// `current`: the point that is running.
  void update(double now_s, const Tally& tally, std::string_view current);
  /// Takes the bar off the screen, before something else is printed there.
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

/// What the loop works with; all of it is the caller's and outlives the loop.
struct LoopParts {
  const SweepSpec* spec = nullptr;
  Plan* plan = nullptr;
  Executor* executor = nullptr;
  std::map<std::string, Starter> starters;  ///< by experiment
  std::string record_file;                  ///< where a program is told to write its record
  std::function<void(std::string)> append;  ///< keeps a line of runs.jsonl
  std::function<void(const Tally&, std::string_view point)> show;   ///< how far it is
  std::function<void(const PlannedRun&, const Outcome&)> complain;  ///< a run that failed
  const std::atomic<bool>* is_interrupted = nullptr;
};

/// Makes the runs of a plan, one after the other, and keeps each as it ends.
class RunLoop {
 public:
  /// `earlier`: how many runs the folder has already.
  RunLoop(LoopParts parts, Index earlier, Index already_done);

  /// Goes on until the plan has no more runs, or an interrupt. Throws Error where a run cannot be kept.
  void run();
  /// Shows how far it is; to be called while a run is going on, too.
  void show_progress() const;

  Index done() const { return done_; }
  Index failed() const { return failed_; }
  /// How many loops the programs told of in a run, at most; what is kept and compared is the first one's.
  Index loops() const { return loops_; }
  /// Whether it ended early, since not one of the first runs went well. A sweep that is resumed does not: its
  /// first failures are known.
  bool has_given_up() const;

 private:
  RunEntry make(const PlannedRun& planned);
  /// Puts the program's record into the entry; its makespan, where the run was good.
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
