#pragma once

#include <span>

#include "apps/bucket_sort/keys.hpp"

namespace loadshare::bucket_sort {

/// Keys in a small bucket, on the average.
inline constexpr Index small_bucket = 1024;

/// Puts `keys` into `out`, sorted: first into small buckets of one length of the range from the least to the
/// greatest, then each by std::sort (introsort). All keys of a small bucket fit the cache, and the work for a
/// key does not depend on how many there are: a rank alone does no more than many ranks together, which would
/// else sort n/p keys faster than a p-th of n.
void sort_into(std::span<const Key> keys, std::span<Key> out);

}  // namespace loadshare::bucket_sort
