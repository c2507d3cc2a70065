#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::report {

/// The report's python package for a tool that stands in `tool_folder`: the installed one
/// (../share/loadshare/report) before `source_folder`, that of the build. Throws Error when neither is there.
std::filesystem::path find_package(const std::filesystem::path& tool_folder,
                                   const std::filesystem::path& source_folder);

/// The first of the commands that is a python 3.10 or later with numpy, scipy and matplotlib. Throws
/// UsageError that names the Debian packages when none is.
std::string find_python(std::span<const std::string> candidates);

/// Becomes the report's python package, which makes pages and draws: this process goes on as python with
/// `arguments` and with `input` on its stdin, so that output, exit code and signals are its own. Comes back
/// only by throwing an Error.
[[noreturn]] void run_python(const std::vector<std::string>& arguments, std::string_view input);

}  // namespace loadshare::report
