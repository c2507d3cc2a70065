#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedulers/types.hpp"

namespace loadshare {

/// Chunk sizes worth trying for a fixed size: 1, 2, 3, 5, 8, ... in steps of some 1.6, from a 4096th of a
/// worker's share of the loop up to a quarter of it, beyond which the last chunks alone decide.
std::vector<Index> sizes_worth_trying(const LoopShape& shape);

/// First chunks worth trying for sizes that fall: a half, a quarter and an eighth of a worker's share.
std::vector<Index> shares_worth_trying(const LoopShape& shape);

/// The prefix with each of the values behind it: "gss:9", "gss:14".
std::vector<std::string> specs_of(std::string_view prefix, const std::vector<Index>& values);

}  // namespace loadshare
