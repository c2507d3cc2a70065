#pragma once

#include <span>
#include <vector>

#include "apps/bucket_sort/splitters.hpp"

namespace loadshare::bucket_sort {

/// How many of `keys` belong into each bucket.
std::vector<Index> bucket_sizes(std::span<const Key> keys, const Splitters& splitters);

/// Copies `keys` to `out`, bucket after bucket; `sizes` is what `bucket_sizes` said.
void put_into_buckets(std::span<const Key> keys, const Splitters& splitters, const std::vector<Index>& sizes,
                      std::span<Key> out);

}  // namespace loadshare::bucket_sort
