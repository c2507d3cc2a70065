#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/bucket_sort/sort.hpp"

namespace loadshare::bucket_sort {

/// What tells one multiset of keys from another, in whatever order they are: how many, and the sums of two
/// hashes of each. Others have the same by chance once in 2^128.
struct Fingerprint {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  void add(Key key);
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// One rank's result, as the others need to know it.
struct Summary {
  Fingerprint before;  ///< of the keys at this rank's places
  Fingerprint after;   ///< of its result
  Key least = 0;
  Key greatest = 0;
  bool is_sorted = true;
};

Summary summarize(const KeySet& keys, spmd::Part places, std::span<const Key> result);

/// What is wrong with the result of all ranks, by rank; empty where nothing is.
std::string what_is_wrong(const std::vector<Summary>& ranks);

/// The same for the ranks of a run. Collective.
std::string what_is_wrong(Sort& sort, spmd::Exchange& exchange);

}  // namespace loadshare::bucket_sort
