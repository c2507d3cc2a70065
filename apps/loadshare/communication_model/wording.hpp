#pragma once

#include <string>

namespace loadshare::tool {

/// A time as duration_text() has it, and three digits of nanoseconds where it is shorter than a microsecond:
/// a byte's share is a fraction of one.
std::string fine_duration_text(double seconds);

/// A size without an exponent, as it is typed: "1500000", "0.5".
std::string size_text(double size);

}  // namespace loadshare::tool
