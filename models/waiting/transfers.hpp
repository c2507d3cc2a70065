#pragma once

#include <cstdint>
#include <vector>

#include "models/waiting/matching.hpp"

namespace loadshare::waiting {

/// The messages of one call, as far as they are known.
using CallMessages = std::vector<const Message*>;

/// How much of [begin, end] some of these messages are known to have moved in, by the calls of the others who
/// sent or received them: one that blocks for this message alone, starts it (which takes its time where the
/// other side is there) or waits for it alone, moves it from when both sides have come until it returns.
/// `rank` is the one whose call it is; messages that the other side too handles among others say nothing.
std::int64_t moved_ns(const Matching& matching, std::uint32_t rank, const CallMessages& messages,
                      std::int64_t begin_ns, std::int64_t end_ns);

}  // namespace loadshare::waiting
