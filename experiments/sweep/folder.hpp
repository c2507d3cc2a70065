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

/// The record that a program wrote of its run with `--json`.
struct ProgramRecord {
  std::string line;                           ///< as it was written; empty if there is none
  double makespan_s = 0;                      ///< the time that is compared
  Index loops = 1;                            ///< how many loops the program recorded; this is the first one
  std::optional<Index> ranks = std::nullopt;  ///< how many ranks took part; nothing if not recorded
};

/// Reads the record that a program left in `path`. Throws Error (run_failed) if it is not JSON with a
/// makespan.
ProgramRecord read_record(const std::string& path);

/// One finished run: the content of a line of runs.jsonl.
struct RunEntry {
  PlannedRun run;
  Index order = 0;  ///< n-th run of the sweep
  std::optional<RunLoad> load;
  Words command;
  std::string started_at;  ///< "2026-01-31T12:00:00Z"
  Outcome outcome;
  double overhead_s = 0;  ///< time that the sweep itself took between the previous run and this one
  std::string record;     ///< the program's line; empty if there is none
};

/// Returns the entry as a line of runs.jsonl, without the line end.
std::string to_json_line(const RunEntry& entry);

/// The part of a logged run that a resumed sweep needs.
struct LoggedRun {
  std::string point;
  Index repetition = 0;
  bool is_ok = false;
  double makespan_s = 0;
};

/// Reads the runs of a runs.jsonl; none if there is no such file. Ignores an incomplete last line, which a
/// killed sweep leaves. Throws UsageError with file and line for any other damage.
std::vector<LoggedRun> read_log(const std::string& path);

/// Removes an incomplete last line from a runs.jsonl.
void repair_log(const std::string& path);

/// Returns the content of sweep.json: every experiment with all its points, the host, and the version that
/// started the sweep.
nlohmann::ordered_json manifest_of(const SweepSpec& spec, const std::string& version);

/// Returns the difference between two manifests that forbids mixing their runs, as "experiment fig3a had
/// another 'options'"; empty if there is none. Titles, repeats and timeouts may differ.
std::string difference(const nlohmann::ordered_json& older, const nlohmann::ordered_json& newer);

enum class Resume { no, yes };

/// The folder of one sweep: sweep.json, sweep.yaml and runs.jsonl. One sweep at a time uses it.
class Folder {
 public:
  /// Returns the runs that the folder contains already; changes nothing. Throws UsageError if there are runs
  /// with Resume::no, or if the runs belong to another sweep.
  static std::vector<LoggedRun> look(const std::string& path, const nlohmann::ordered_json& manifest,
                                     Resume resume);

  /// Makes the folder if it does not exist, writes the manifest and a copy of the sweep's file, and repairs a
  /// log that a killed sweep left incomplete. Throws UsageError if another sweep is using it, or as look()
  /// does.
  Folder(std::string path, const nlohmann::ordered_json& manifest, const std::string& sweep_file,
         Resume resume);

  const std::vector<LoggedRun>& earlier() const { return earlier_; }
  std::string runs_file() const { return path_ + "/runs.jsonl"; }
  /// The file to which a program writes its record.
  std::string record_file() const { return path_ + "/.record.json"; }
  /// Appends a whole line to runs.jsonl, or throws Error (run_failed) and leaves it as it was.
  void append(std::string line) const { log_->append(std::move(line)); }
  /// A warning for the user if the file system cannot lock the folder, otherwise empty.
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
