#pragma once

#include <map>
#include <string>
#include <vector>

namespace loadshare::tool {

/// Runs a command with our own inputs and outputs, and waits for it; what a terminal sends to interrupt it is
/// its own affair, and a SIGTERM is passed on. Returns its exit code, 128 + n for signal n. Throws UsageError
/// where it cannot be started.
int run_in_foreground(const std::vector<std::string>& words,
                      const std::map<std::string, std::string>& environment);

}  // namespace loadshare::tool
