#pragma once

#include <span>
#include <string>

#include "apps/spmd/exchange.hpp"
#include "apps/spmd/fingerprint.hpp"

namespace loadshare::spmd {

/// One rank's part in a sort over all ranks, as the others need to know it.
struct SortedPart {
  Fingerprint before;  ///< of the keys at this rank's places
  Fingerprint after;   ///< of those it has in the end
  bool is_sorted = true;
  bool follows = true;  ///< none of them is less than any on a rank before
};

/// What is wrong with the keys of all ranks, by rank; empty where nothing is.
std::string what_is_wrong(std::span<const SortedPart> ranks);

/// The same for the ranks of a run, each with its own. Collective.
std::string what_is_wrong(const SortedPart& own, Exchange& exchange);

}  // namespace loadshare::spmd
