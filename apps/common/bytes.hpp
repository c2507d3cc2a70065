#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace loadshare {

/// A number of bytes. Sums and products below stick at `too_many_bytes` instead of wrapping round.
using Bytes = std::uint64_t;
inline constexpr Bytes too_many_bytes = std::numeric_limits<Bytes>::max();

Bytes add_bytes(Bytes a, Bytes b);
Bytes multiply_bytes(Bytes a, Bytes b);

/// "894.1 GiB", "128 MiB", "80 bytes"; powers of 1024, at most one decimal.
std::string human_bytes(Bytes bytes);

}  // namespace loadshare
