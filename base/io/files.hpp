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

/// How an existing file gets its new content: replaced by a new file, as replace_file() does, or appended to.
enum class Writing { anew, at_the_end };

/// Throws UsageError if a file at `path` cannot be created or written: no such directory, a directory, no
/// permission (`anew`: also none to create files in its directory), a read-only file system, or a disk
/// without a free block. A disk with free blocks may still fill up before the file is written. Neither opens
/// nor creates anything, because opening a pipe would block or end it. The message names `purpose`: "the JSON
/// line".
void require_writable(const std::string& path, std::string_view purpose, Writing writing = Writing::anew);

/// Writes all of `bytes` to a file descriptor. Returns 0, or the errno of the failure.
int write_fully(int descriptor, std::string_view bytes);

/// Receives a file's content piece by piece.
using ByteSink = std::function<void(std::string_view)>;

/// Writes a new file at `path` through a temporary file in the same folder and a rename, so that an existing
/// file stays intact until the new one is complete. A path that is not a regular file (a pipe, /dev/null) is
/// written directly. Throws Error (run_failed) if writing fails, and removes the temporary file.
void replace_file(const std::string& path, const std::function<void(const ByteSink&)>& write_content);

/// Replaces the file by `content`.
void replace_file(const std::string& path, std::string_view content);

/// A file with the option that named it. An empty path means that the option was not given.
struct NamedFile {
  const char* option;
  std::string path;
};

/// Throws UsageError if a report is the same file as one of `data` or as another report. Such a mistake would
/// overwrite data.
void require_own_files(std::vector<NamedFile> data, const std::vector<NamedFile>& reports);

/// A file that a command writes. An empty path means that the option was not given; "-" is stdout.
struct OutputOption {
  const char* option;
  std::string path;
  const char* what;  ///< for errors: "the JSON"
};

/// Throws UsageError if an output cannot be written, or is the same file as another output or as an input.
/// Call it before any work is done.
void require_outputs(const std::vector<NamedFile>& read, const std::vector<OutputOption>& outputs);

/// Writes `text` to stdout or stderr without delay. Throws Error (run_failed), naming `what`, if it cannot be
/// written. A reader that has closed the pipe (`| head`) is no error.
void show(std::FILE* out, std::string_view what, std::string_view text);

/// Makes writing beyond `ulimit -f` fail with EFBIG. Otherwise a signal from the kernel ends the process,
/// unless the program handles it.
void ignore_file_limit_signal();

// Files named by a user are read with a limit. Pipes count as files, as in `metrics <(zcat runs.gz)`, but
// only while they deliver data. Devices are refused because they have no end. A byte order mark before a text
// in UTF-8 is not part of the text.

/// The maximum size in bytes of a text file that is read at once, and of a line of one that is read line by
/// line.
inline constexpr std::size_t most_text_bytes = std::size_t{256} << 20;

/// Returns the whole file. Throws UsageError if it cannot be read: "cannot read `what` PATH".
std::string read_text_file(const std::string& path, std::string_view what = {},
                           std::size_t most_bytes = most_text_bytes);
/// Opens a file named by a user for reading, without waiting for a pipe's writer. If it cannot be opened, its
/// number is negative and errno is set.
Descriptor open_without_waiting(const std::string& path);
/// Returns all bytes of an open binary file. Throws as read_text_file() does: "cannot read `name`".
std::string read_bytes(const Descriptor& file, const std::string& name, std::size_t most_bytes);
/// Returns the content of a file of the system or of loadshare itself, without a limit. Returns an empty text
/// if it cannot be read.
std::string content_of(const std::string& path);

/// A text file of any size, read line by line.
class LineFile final {
 public:
  /// Throws UsageError if the file cannot be read, as read_text_file() does.
  explicit LineFile(const std::string& path);

  /// Reads the next line, without its line end. Returns false at the end of the file. Throws UsageError if
  /// the line is too long or cannot be read.
  bool next(std::string& line);
  /// Whether the last line read had a line end.
  bool is_finished() const { return is_finished_; }
  /// Returns the size in bytes of the lines read so far, with their line ends and a byte order mark.
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
