#pragma once

#include <string>

namespace loadshare::tool {

/// Throws UsageError, naming the Debian package, where Graphviz's `dot` is not there.
void require_dot();

/// What `dot` draws of a graph; throws Error (run_failed) with its words where it fails.
std::string svg_of_dot(const std::string& dot);

}  // namespace loadshare::tool
