#pragma once

#include <string>

namespace loadshare {

/// The system's words for an error number, as part of a sentence: "no such file or directory".
std::string system_reason(int error);

}  // namespace loadshare
