#pragma once

#include <ctime>
#include <string>

namespace loadshare {

/// A time of day as files keep it: "2026-01-31T12:00:00Z".
std::string utc_text(std::time_t time);

}  // namespace loadshare
