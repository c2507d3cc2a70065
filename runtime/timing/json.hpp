#pragma once

#include <string>

#include "runtime/timing/records.hpp"

namespace loadshare {

/// The record as one line of JSON without the line end. The keys and their order are the same in every run
/// (schema RunRecord::schema): what is not known is null, times are seconds rounded to nanoseconds, and the
/// long list, `chunks`, comes last.
std::string to_json_line(const RunRecord& record);

/// Where the JSON lines of runs go: a file that grows by one line a run, or "-" for stdout.
///
/// Made before the run, so that a path that cannot be written is known before any work is done.
class JsonSink {
 public:
  /// Throws UsageError where `path` cannot be written; creates nothing.
  explicit JsonSink(std::string path);

  bool is_stdout() const { return path_ == "-"; }

  /// Appends `line` and a line end as a whole: throws Error (run_failed) where that fails, for instance on a
  /// full disk, and the file is then as long as it was.
  void append(std::string line) const;

 private:
  std::string path_;
};

}  // namespace loadshare
