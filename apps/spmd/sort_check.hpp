#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "apps/spmd/exchange.hpp"

namespace loadshare::spmd {

/// Identifies a multiset of keys in any order: their number, and the sums of two hashes of each key.
/// Different multisets have the same fingerprint with probability 2^-128.
struct Fingerprint {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  void add(std::uint64_t key);
  Fingerprint& operator+=(const Fingerprint& other);
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// Returns how sorted keys differ from the original ones, in words, or an empty text.
std::string difference_between(const Fingerprint& before, const Fingerprint& after);

/// One rank's part of a sort over all ranks, as the other ranks need it.
struct SortedPart {
  Fingerprint before;  ///< of the keys at this rank's positions before the sort
  Fingerprint after;   ///< of its keys after the sort
  bool is_sorted = true;
  bool follows = true;  ///< none of its keys is smaller than a key on a preceding rank
};

/// Returns what is wrong with the keys of all ranks, by rank, or an empty text.
std::string what_is_wrong(std::span<const SortedPart> ranks);

/// Returns the same for the ranks of a run, each with its own part. Collective.
std::string what_is_wrong(const SortedPart& own, Exchange& exchange);

}  // namespace loadshare::spmd
