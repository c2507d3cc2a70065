#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/bucket_sort/sort.hpp"
#include "apps/spmd/fingerprint.hpp"

namespace loadshare::bucket_sort {

/// One rank's result, as the others need to know it.
struct Summary {
  spmd::Fingerprint before;  ///< of the keys at this rank's places
  spmd::Fingerprint after;   ///< of its result
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
