#pragma once

#include <optional>
#include <string>

namespace loadshare::sweep {

/// The path of the running `loadshare` itself.
std::string own_path();

/// Where a program is: with a slash in its name, from `folder` on; otherwise beside the tool, then in PATH.
std::optional<std::string> find_program(const std::string& name, const std::string& folder);

}  // namespace loadshare::sweep
