#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loadshare::sweep {

/// The path of the running `loadshare` itself.
std::string own_path();

/// Where a program is: with a slash in its name, from `folder` on; otherwise beside the tool, then in PATH.
std::optional<std::string> find_program(const std::string& name, const std::string& folder);

/// Whether it is one of this project's programs: its schedulers are the built-in ones, and `--help` lists all
/// of its options.
bool is_own_program(const std::string& program);

/// The options that a program's `--help` lists, without the dashes; empty where it lists none.
std::vector<std::string> listed_options(const std::string& path);

}  // namespace loadshare::sweep
