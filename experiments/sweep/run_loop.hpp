#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "experiments/sweep/command.hpp"
#include "experiments/sweep/executor.hpp"
#include "experiments/sweep/plan.hpp"
#include "experiments/sweep/progress.hpp"
#include "experiments/sweep/run_log.hpp"

namespace loadshare::sweep {

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
  /// Whether it ended early, since not one of the first runs went well. Never in a folder that has runs
  /// already: whoever goes on there knows.
  bool has_given_up() const;

 private:
  RunEntry make(const PlannedRun& planned);
  void take_record(RunEntry& entry, std::optional<double>& makespan_s) const;
  void keep(RunEntry& entry, std::optional<double> makespan_s);

  LoopParts parts_;
  Index order_;
  Index earlier_;
  Index already_done_;
  Index done_ = 0;
  Index failed_ = 0;
  double begun_s_;
  double last_end_s_;
  const Point* current_ = nullptr;
};

}  // namespace loadshare::sweep
