#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/descriptor.hpp"

namespace loadshare {

/// How an old file gets its new content: replaced by a file made beside it, as replace_file does, or longer.
enum class Writing { anew, at_the_end };

/// Throws UsageError where a file at `path` could not be created or written: no such directory, a directory,
/// no permission (anew: to make files in its directory, too), a read-only file system, a disk without a free
/// block (one that has some may still fill up before the file is written). Opens and creates nothing (opening
/// a pipe would hang or end it). `purpose` is named in the message: "the JSON line".
void require_writable(const std::string& path, std::string_view purpose, Writing writing = Writing::anew);

/// Writes all of `bytes` to a file descriptor; returns 0 or the errno that stopped it.
int write_fully(int descriptor, std::string_view bytes);

/// Receives a file's content piece by piece.
using ByteSink = std::function<void(std::string_view)>;

/// Writes a new file at `path` through a temporary one beside it and a rename, so that an old file stays
/// whole until the new one is complete. What is no regular file (a pipe, /dev/null) is written directly.
/// Throws Error (run_failed) where writing fails; the temporary file is then gone.
void replace_file(const std::string& path, const std::function<void(const ByteSink&)>& write_content);

/// The same with all of the content at once.
void replace_file(const std::string& path, std::string_view content);

/// A file by the option it was given with; an empty path is an option not given.
struct NamedFile {
  const char* option;
  std::string path;
};

/// One output over another, or a report in an input, is a slip that costs data: throws UsageError where a
/// report is the same file as one of `data` or as another report.
void require_own_files(std::vector<NamedFile> data, const std::vector<NamedFile>& reports);

/// A file that a command writes; an empty path is an option not given, "-" is stdout.
struct OutputOption {
  const char* option;
  std::string path;
  const char* what;  ///< for errors: "the JSON"
};

/// Before anything is done: throws UsageError where an output could not be written, or is the same file as
/// another one or as one that is read.
void require_outputs(const std::vector<NamedFile>& read, const std::vector<OutputOption>& outputs);

/// Writes `text` to stdout or stderr at once; throws Error(run_failed), naming `what`, where it cannot be
/// written. A reader that has left (`| head`) has seen enough: that is no error.
void show(std::FILE* out, std::string_view what, std::string_view text);

/// Lets writing beyond `ulimit -f` fail with EFBIG. Otherwise the kernel ends the process by a signal, unless
/// the program handles it.
void ignore_file_limit_signal();

/// The system's words for an error number, as part of a sentence: "no such file or directory".
std::string system_reason(int error);

// Files that a user names are read with a limit. Pipes are files, too, as in `metrics <(zcat runs.gz)`, but
// only while they deliver something. Devices are refused, because they have no end. A byte order mark before
// a text in UTF-8, as some editors write it, is no part of the text.

/// The most bytes of a text file that is read whole, and of each line of one that is read line by line.
inline constexpr std::size_t most_text_bytes = std::size_t{256} << 20;

/// Returns the whole file. Throws UsageError if it cannot be read: "cannot read `what` PATH".
std::string read_text_file(const std::string& path, std::string_view what = {},
                           std::size_t most_bytes = most_text_bytes);
/// Opens a file that a user names for reading, without waiting for a pipe's writer. Its number is negative,
/// and errno set, if it cannot be opened.
Descriptor open_without_waiting(const std::string& path);
/// Returns every byte of an open file that is no text. Throws as read_text_file() does: "cannot read `name`".
std::string read_bytes(const Descriptor& file, const std::string& name, std::size_t most_bytes);
/// Returns the whole file, empty if it cannot be read, and without a limit: for files of the system and those
/// that loadshare keeps for itself.
std::string content_of(const std::string& path);

/// A file of any size, line by line.
class LineFile final {
 public:
  /// Throws UsageError if it cannot be read, as read_text_file() does.
  explicit LineFile(const std::string& path);

  /// Reads the next line, without its end; false: there is none. Throws UsageError if it is too long, or
  /// cannot be read.
  bool next(std::string& line);
  /// Whether the last line that was read had an end.
  bool is_finished() const { return is_finished_; }
  /// How many bytes of the file the lines that were read take, all that belongs to them included.
  std::uintmax_t read_bytes() const { return read_bytes_; }

 private:
  bool fill();

  std::string path_;
  Descriptor file_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uintmax_t read_bytes_ = 0;
  bool is_finished_ = false;
};

}  // namespace loadshare
