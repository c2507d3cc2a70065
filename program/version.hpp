#pragma once

#include <string>

namespace loadshare {

/// Returns the text of --version: the version, the commit (if built from a checkout), and the build type.
std::string version_text();

}  // namespace loadshare
