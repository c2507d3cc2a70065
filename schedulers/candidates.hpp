#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

/// Chunk sizes worth trying for a fixed size, the largest first: ..., 8, 5, 3, 2, 1, in steps of some 1.6,
/// from a quarter of a worker's share of the loop, beyond which the last chunks alone decide, down to a
/// 4096th.
std::vector<Index> sizes_worth_trying(const LoopShape& shape);

/// First chunks worth trying for sizes that fall: a half, a quarter and an eighth of a worker's share.
std::vector<Index> shares_worth_trying(const LoopShape& shape);

/// The prefix with each of the values behind it: "gss:9", "gss:14".
std::vector<std::string> specs_of(std::string_view prefix, const std::vector<Index>& values);

}  // namespace loadshare
