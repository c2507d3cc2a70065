#pragma once

#include <string>
#include <string_view>

#include "runtime/records/records.hpp"

namespace loadshare {

/// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD, so that one odd file name
/// cannot spoil a whole record.
std::string json_quoted(std::string_view text);

/// A time in seconds rounded to nanoseconds: finer digits are noise, and they double the size of a record.
double rounded_to_ns(double seconds);

/// Appends `seconds` rounded to nanoseconds; `null` where it is not finite, since JSON knows no NaN.
void append_seconds(std::string& out, double seconds);

/// The record as one line of JSON without the line end. The keys and their order are the same in every run
/// (schema RunRecord::schema): what is not known is null, times are seconds rounded to nanoseconds, and the
/// long list, `chunks`, comes last.
std::string to_json_line(const RunRecord& record);

/// Where the JSON lines of runs go: a file that grows by one line a run, or "-" for stdout.
///
/// Made before the run, so that a path that cannot be written is known before any work is done. Lines of
/// several programs at once are kept whole, one after the other.
class JsonSink {
 public:
  /// Throws UsageError where `path` cannot be written; creates nothing.
  explicit JsonSink(std::string path);

  bool is_stdout() const { return path_ == "-"; }
  const std::string& path() const { return path_; }

  /// Appends `line` and a line end as a whole: throws Error (run_failed) where that fails, for instance on a
  /// full disk, and the file is then as long as it was, or not there if it was not. Returns 0, or the errno
  /// of the lock if the file could not be locked, so that other programs could write at the same time.
  int append(std::string line) const;

 private:
  std::string path_;
};

}  // namespace loadshare
