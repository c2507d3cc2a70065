#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::report {

/// Returns the report's python package for a tool in `tool_folder`: the installed one
/// (../share/loadshare/report), otherwise `source_folder` of the build. Throws Error if neither exists.
std::filesystem::path find_package(const std::filesystem::path& tool_folder,
                                   const std::filesystem::path& source_folder);

/// Returns the first command that is python 3.10 or later with numpy, scipy and matplotlib. Throws UsageError
/// that names the Debian packages if none is.
std::string find_python(std::span<const std::string> candidates);

/// Turns this process into the report's python package, which makes pages and draws. It gets `arguments` and,
/// on stdin, `input`; output, exit code and signals are its own. Returns only by throwing an Error.
[[noreturn]] void run_python(const std::vector<std::string>& arguments, std::string_view input);

}  // namespace loadshare::report
