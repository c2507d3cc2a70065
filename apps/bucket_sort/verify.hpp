#pragma once

#include <span>
#include <string>

#include "apps/bucket_sort/sort.hpp"
#include "apps/spmd/sort_check.hpp"

namespace loadshare::bucket_sort {

/// Summarizes one rank's result. `greatest_before` is the greatest key of all preceding ranks, or 0.
spmd::SortedPart summarize(const KeySet& keys, spmd::Part places, std::span<const Key> result,
                           Key greatest_before);

/// Returns what is wrong with the results of all ranks, by rank, or an empty text. Collective.
std::string what_is_wrong(Sort& sort, spmd::Exchange& exchange);

}  // namespace loadshare::bucket_sort
