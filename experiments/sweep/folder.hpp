#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/sweep/command.hpp"
#include "experiments/sweep/plan.hpp"
#include "experiments/sweep/process.hpp"
#include "experiments/sweep/spec.hpp"
#include "runtime/records/json.hpp"

namespace loadshare::sweep {

/// What a program said of its run with `--json`.
struct ProgramRecord {
  std::string line;                           ///< as it was written; empty: none
  double makespan_s = 0;                      ///< what is compared
  Index loops = 1;                            ///< that it recorded, of which this is the first
  std::optional<Index> ranks = std::nullopt;  ///< that took part; nothing: not recorded
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

/// What sweep.json says of a sweep: every experiment with its points, whichever of them are run, and where
/// and with what version it was begun.
nlohmann::ordered_json manifest_of(const SweepSpec& spec, const std::string& version);

/// In what the sweep of an older manifest differs so that their runs must not be mixed: "experiment fig3a has
/// other options"; empty where they are the same. Titles, repeats and timeouts may change.
std::string difference(const nlohmann::ordered_json& older, const nlohmann::ordered_json& newer);

enum class Resume { no, yes };

/// The folder of one sweep: sweep.json, sweep.yaml and runs.jsonl. One sweep at a time uses it.
class Folder {
 public:
  /// What is in the folder already and how it goes together with this sweep: makes and changes nothing.
  /// Throws UsageError where there are runs and Resume::no, or where they are another sweep's.
  static std::vector<LoggedRun> look(const std::string& path, const nlohmann::ordered_json& manifest,
                                     Resume resume);

  /// Makes the folder where it is not there, writes the manifest and a copy of the sweep's file, and mends
  /// what a killed sweep left. Throws UsageError where another sweep is using it, or as look() does.
  Folder(std::string path, const nlohmann::ordered_json& manifest, const std::string& sweep_file,
         Resume resume);

  const std::vector<LoggedRun>& earlier() const { return earlier_; }
  std::string runs_file() const { return path_ + "/runs.jsonl"; }
  /// Where a program writes its record.
  std::string record_file() const { return path_ + "/.record.json"; }
  /// Appends a whole line to runs.jsonl, or throws Error (run_failed) and leaves it as it was.
  void append(std::string line) const { log_->append(std::move(line)); }
  /// If the file system cannot lock the folder: what a person has to take care of. Otherwise empty.
  const std::string& lock_note() const { return lock_note_; }

 private:
  void lock();

  std::string path_;
  Descriptor lock_;
  std::string lock_note_;
  std::vector<LoggedRun> earlier_;
  std::optional<JsonSink> log_;
};

}  // namespace loadshare::sweep
