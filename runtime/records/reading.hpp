#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/records/records.hpp"

namespace loadshare {

/// What of a record is read: where its ranks' time went, or all that a farm's prediction needs. The list of
/// chunks may have a million entries.
enum class RecordParts { accounts, farm };

/// A run as the JSON line of its program tells it: the fields of such a part, the others as by default.
/// Records of older programs lack fields: a rank is then taken to have a whole processor, and its iterations
/// for its work. Throws UsageError, beginning with `place` ("runs.jsonl:3"), where it is no record (of a
/// farm's run), of another schema, or damaged.
RunRecord read_record(const nlohmann::json& line, const std::string& place, RecordParts parts);

/// A run of a file.
struct ReadRun {
  RunRecord record;
  std::string place;                      ///< "runs.jsonl:3"
  std::optional<std::string> experiment;  ///< of a sweep; nothing: it is a program's own line
  std::string point;                      ///< of the experiment: its id
  std::optional<Index> repetition;        ///< ditto, where the line tells it
};

/// Hands each run of a file to `take`, in order: a program's own line, or one within a sweep's line. Returns
/// notes on what was left out: runs of a sweep that failed, or that are no sound records, or that `take`
/// refuses; runs whose result was found wrong, and a last line that was not finished. Throws UsageError, with
/// file and line, on everything else that is no record, and what `take` throws on a program's own line.
std::vector<std::string> read_records(const std::string& path, RecordParts parts,
                                      const std::function<void(ReadRun)>& take);

/// The files that a path means: itself, or what a sweep keeps in its folder, of which the first holds the
/// runs. Throws UsageError where it means none.
std::vector<std::string> files_behind(const std::string& path);

/// Throws UsageError where two of the paths mean the same file of runs: each run is to count once.
void require_each_once(const std::vector<std::string>& paths);

/// Of a run's options those that say which problem it solves, and how: without what follows from the number
/// of ranks or from other options, and what was measured.
std::map<std::string, OptionValue> setting_options(const std::map<std::string, OptionValue>& options);

/// Whether another run of the same options computes the same: not where each measures first what it is to
/// compute.
bool repeats_work(const std::map<std::string, OptionValue>& options);

/// A load's spec without the seed of its phases: a sweep gives each repetition another.
std::string without_seed(std::string load);

}  // namespace loadshare
