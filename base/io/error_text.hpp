#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"

namespace loadshare {

/// Returns the system's text for an error number as part of a sentence: "no such file or directory". If this
/// process has no file descriptor left, the text also names its limit and how to raise it.
std::string error_text(int error);
std::string error_text(const std::error_code& error);

/// Returns `problem` with the system's text for an error number as its reason. If this process has no file
/// descriptor left, the reason names its limit, and the suggestion how to raise it.
ErrorText system_error(std::string_view problem, int error);

/// Whether this process has no file descriptor left. Accepts the error categories of other libraries too.
bool is_out_of_files(const std::error_code& error);

}  // namespace loadshare
