#pragma once

#include <string>
#include <string_view>

#include "runtime/records/records.hpp"

namespace loadshare {

/// Returns `text` as a JSON string with quotes. Invalid UTF-8 becomes U+FFFD, so that a strange file name
/// cannot spoil the record.
std::string json_quoted(std::string_view text);

/// Rounds seconds to nanoseconds: finer digits are noise, and double the size of a record.
double rounded_to_ns(double seconds);

/// Appends `seconds` rounded to nanoseconds; `null` if it is not finite, because JSON has no NaN.
void append_seconds(std::string& out, double seconds);

/// Returns the record as one line of JSON without the line end.
/// - The keys and their order are the same in every run (schema RunRecord::schema).
/// - Unknown values are null.
/// - Times are seconds rounded to nanoseconds.
/// - The long list, `chunks`, comes last.
std::string to_json_line(const RunRecord& record);

/// The destination of the runs' JSON lines: a file to which each run appends one line, or "-" for stdout.
///
/// Created before the run, so that an unwritable path is reported before any work. Lines that several
/// programs append at the same time stay complete.
class JsonSink {
 public:
  /// Throws UsageError if `path` cannot be written. Creates nothing.
  explicit JsonSink(std::string path);

  bool is_stdout() const { return path_ == "-"; }
  const std::string& path() const { return path_; }

  /// Appends `line` and a line end. If that fails, for example because the disk is full, restores the file's
  /// length, or removes the file if it is new, and throws Error (run_failed). Returns 0, or the errno of the
  /// lock if the file could not be locked, so that other programs could write at the same time.
  int append(std::string line) const;

 private:
  std::string path_;
};

}  // namespace loadshare
