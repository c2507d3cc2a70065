#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loadshare::tool {

/// A run record as a file tells it: a program's own line, or one within a sweep's line.
struct RecordLine {
  nlohmann::json record;
  std::string place;                      ///< "runs.jsonl:3"
  std::optional<std::string> experiment;  ///< nothing: it is a program's own line
  std::string point;                      ///< of a sweep's experiment: its id
};

/// The list of chunks may have a million entries.
enum class WithChunks { no, yes };

/// Hands each record of a file to `take`, in order, and returns notes on what was left out: runs of a sweep
/// that failed or that `take` refuses, and a last line that was not finished. Throws UsageError, with file
/// and line, on everything else that is no record, and what `take` throws on a program's own line.
std::vector<std::string> read_records(const std::string& path, WithChunks chunks,
                                      const std::function<void(const RecordLine&)>& take);

}  // namespace loadshare::tool
