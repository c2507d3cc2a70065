#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/records/records.hpp"

namespace loadshare {

/// The part of a record that is read: the times of its ranks, or everything that a farm's prediction needs.
/// The list of chunks may have a million entries.
enum class RecordParts { accounts, farm };

/// Reads a run from the JSON line of its program: the fields of the requested part; others keep their
/// defaults. Records of older programs lack fields: a rank then has a whole processor, and its iterations
/// count as its work. Throws UsageError, which begins with `place` ("runs.jsonl:3"), if the line is not a
/// record (of a farm), has another schema, or is damaged.
RunRecord read_record(const nlohmann::json& line, const std::string& place, RecordParts parts);

/// A run that was read from a file.
struct ReadRun {
  RunRecord record;
  std::string place;                      ///< "runs.jsonl:3"
  std::optional<std::string> experiment;  ///< of a sweep; nothing: the line is a program's own
  std::string point;                      ///< id of the experiment's point
  std::optional<Index> repetition;        ///< of a sweep, if the line contains it
};

/// Passes each run of a file to `take`, in order: a program's own line, or the record in a sweep's line.
/// Returns notes on runs that were left out:
/// - runs of a sweep that failed, are invalid, or are refused by `take`;
/// - runs with a wrong result;
/// - an incomplete last line.
///
/// Throws UsageError, with file and line, for every other line that is not a record, and passes on what
/// `take` throws for a program's own line.
std::vector<std::string> read_records(const std::string& path, RecordParts parts,
                                      const std::function<void(ReadRun)>& take);

/// Returns the files behind a path: the path itself, or the files of a sweep's folder, of which the first
/// contains the runs. Throws UsageError if there are none.
std::vector<std::string> files_behind(const std::string& path);

/// Throws UsageError if two paths denote the same file of runs: each run counts once.
void require_each_once(const std::vector<std::string>& paths);

/// Returns the options that identify the problem and the way it is solved. Leaves out options that follow
/// from the number of ranks or from other options, and measured values.
std::map<std::string, OptionValue> setting_options(const std::map<std::string, OptionValue>& options);

/// Returns whether another run with these options computes the same. Programs that first measure how much to
/// compute do not.
bool repeats_work(const std::map<std::string, OptionValue>& options);

/// Removes the seed of the phases from a load's spec, because a sweep gives each repetition another.
std::string without_seed(std::string load);

}  // namespace loadshare
