#pragma once

#include <span>
#include <string>

#include "apps/bucket_sort/sort.hpp"
#include "apps/spmd/sort_check.hpp"

namespace loadshare::bucket_sort {

/// One rank's result; `greatest_before` of those of all ranks before it, 0 where there are none.
spmd::SortedPart summarize(const KeySet& keys, spmd::Part places, std::span<const Key> result,
                           Key greatest_before);

/// What is wrong with the result of all ranks of a run, by rank; empty where nothing is. Collective.
std::string what_is_wrong(Sort& sort, spmd::Exchange& exchange);

}  // namespace loadshare::bucket_sort
