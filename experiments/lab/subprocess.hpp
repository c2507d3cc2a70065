#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace loadshare::lab {

/// The path of a program in PATH, or where administrators' programs are; empty where there is none.
std::string find_program(const std::string& name);

/// Runs a program in the network namespace `network` (a file, see make_namespace) with `input` as its stdin.
/// Throws Error (run_failed) with what it wrote to stderr when it does not end with 0.
void run_inside(const std::filesystem::path& network, const std::vector<std::string>& words,
                const std::string& input);

}  // namespace loadshare::lab
