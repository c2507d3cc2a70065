#pragma once

#include <string>
#include <system_error>

namespace loadshare {

/// Returns the system's text for an error number. If this process has no file descriptor left, the text also
/// names its limit and how to raise it.
std::string error_text(int error);
std::string error_text(const std::error_code& error);

/// Whether this process has no file descriptor left. Libraries have categories of their own for the system's
/// errors.
bool is_out_of_files(const std::error_code& error);

}  // namespace loadshare
