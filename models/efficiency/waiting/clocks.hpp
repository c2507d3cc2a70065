#pragma once

#include <cstdint>

#include "models/efficiency/waiting/matching.hpp"

namespace loadshare::waiting {

/// What cannot be by the clocks of two hosts: that a call ended before one began that it needs.
struct Contradictions {
  std::uint64_t count = 0;
  std::int64_t largest_ns = 0;
};

/// Of messages that arrived before they were sent, synchronous sends that ended before their receive was
/// posted, members that left a collective before those came whom they need (`awaited_members`), and epochs
/// that ended before their other side. What may need nobody is left out: members with no data, pairs in
/// MPI_Alltoallv and its like, fences that nothing precedes, and calls that the run ended in.
Contradictions contradictions_of(const Matching& matching);

}  // namespace loadshare::waiting
