#pragma once

#include <string>

namespace loadshare::tool {

/// A whole file; throws UsageError where it cannot be read.
std::string read_text_file(const std::string& path);

}  // namespace loadshare::tool
