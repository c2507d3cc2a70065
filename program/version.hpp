#pragma once

#include <string>

namespace loadshare {

/// What --version says: the version, the commit where it was built from a checkout, and how it was built.
std::string version_text();

}  // namespace loadshare
