#pragma once

#include <cstdint>
#include <string>

namespace loadshare::lab {

/// A rate as a person says it: "100 Mbit/s".
std::string link_rate_text(std::uint64_t bits_per_s);

}  // namespace loadshare::lab
