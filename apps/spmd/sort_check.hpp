#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "apps/spmd/exchange.hpp"

namespace loadshare::spmd {

/// What tells one multiset of keys from another, in whatever order they are: how many, and the sums of two
/// hashes of each. Others have the same by chance once in 2^128.
struct Fingerprint {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  void add(std::uint64_t key);
  Fingerprint& operator+=(const Fingerprint& other);
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// How sorted keys differ from those that were to be sorted, in words; empty where they do not.
std::string difference_between(const Fingerprint& before, const Fingerprint& after);

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
