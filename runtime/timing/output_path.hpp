#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace loadshare {

/// Throws UsageError where a file at `path` could not be created or written: no such directory, a directory,
/// no permission, a read-only file system. Opens and creates nothing (opening a pipe would hang or end it).
/// `purpose` is named in the message: "the JSON line".
void require_writable(const std::string& path, std::string_view purpose);

/// Writes all of `bytes` to a file descriptor; returns 0 or the errno that stopped it.
int write_fully(int descriptor, std::string_view bytes);

/// Receives a file's content piece by piece.
using ByteSink = std::function<void(std::string_view)>;

/// Writes a new file at `path` through a temporary one beside it and a rename, so that an old file stays
/// whole until the new one is complete. What is no regular file (a pipe, /dev/null) is written directly.
/// Throws Error (run_failed) where writing fails; the temporary file is then gone.
void replace_file(const std::string& path, const std::function<void(const ByteSink&)>& write_content);

}  // namespace loadshare
