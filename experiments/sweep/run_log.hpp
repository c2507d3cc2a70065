#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/sweep/command.hpp"
#include "experiments/sweep/executor.hpp"
#include "experiments/sweep/plan.hpp"

namespace loadshare::sweep {

/// What a program said of its run with `--json`.
struct ProgramRecord {
  std::string line;       ///< as it was written; empty: none
  double makespan_s = 0;  ///< what is compared
};

/// Reads the record that a program left in `path`. Throws Error (run_failed) where it is no JSON with a
/// makespan.
ProgramRecord read_record(const std::string& path);

/// One run, complete.
struct RunEntry {
  PlannedRun run;
  Index order = 0;  ///< n-th run of the sweep
  std::optional<RunLoad> load;
  Words command;
  std::string started_at;  ///< "2026-01-31T12:00:00Z"
  Outcome outcome;
  double overhead_s = 0;  ///< what the sweep itself took between the last run and this one
  std::string record;     ///< the program's line; empty: none
};

/// The entry as a line of runs.jsonl, without the line end.
std::string to_json_line(const RunEntry& entry);

/// What a resumed sweep has to know of a run that was made.
struct LoggedRun {
  std::string point;
  Index repetition = 0;
  bool is_ok = false;
  double makespan_s = 0;
};

/// The runs of a runs.jsonl; none where there is no such file. A last line that was not finished (the sweep
/// was killed while it wrote) is left out. Throws UsageError with file and line where it is damaged
/// otherwise.
std::vector<LoggedRun> read_log(const std::string& path);

/// Cuts off a last line that was not finished.
void mend_log(const std::string& path);

}  // namespace loadshare::sweep
