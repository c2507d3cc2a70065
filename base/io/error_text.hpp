#pragma once

#include <string>
#include <system_error>

namespace loadshare {

/// What the system says of an error number. If this process has no file descriptor left, also how many it may
/// have, and how it gets more.
std::string error_text(int error);
std::string error_text(const std::error_code& error);

/// Whether this process has no file descriptor left. Libraries have categories of their own for the system's
/// errors.
bool is_out_of_files(const std::error_code& error);

}  // namespace loadshare
