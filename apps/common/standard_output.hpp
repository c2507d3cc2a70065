#pragma once

#include <cstdio>
#include <string_view>

namespace loadshare {

/// Writes `text` to stdout or stderr at once; throws Error(run_failed), naming `what`, where it cannot be
/// written. A reader that has left (`| head`) has seen enough: that is no error.
void show(std::FILE* out, std::string_view what, std::string_view text);

}  // namespace loadshare
