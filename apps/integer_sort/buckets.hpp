#pragma once

#include <span>
#include <vector>

#include "apps/integer_sort/keys.hpp"
#include "apps/spmd/parts.hpp"

namespace loadshare::integer_sort {

/// A number of keys, as it travels: 32 bits, as the benchmark has it.
using Count = std::int32_t;

/// How many of `keys` belong into each bucket.
std::vector<Count> bucket_sizes(const ProblemClass& problem, std::span<const Key> keys);

/// Copies `keys` to `out`, bucket after bucket; `sizes` is what `bucket_sizes` said.
void put_into_buckets(const ProblemClass& problem, std::span<const Key> keys, std::span<const Count> sizes,
                      std::span<Key> out);

/// Which buckets each rank gets, given all ranks' keys in them. A rank takes buckets until it and those
/// before it have their share of the keys or more; so a rank may have none, at the end.
std::vector<spmd::Part> share_buckets(std::span<const Count> totals, int ranks);

/// How many keys are in some of the buckets.
Index keys_in(std::span<const Count> sizes, spmd::Part buckets);

}  // namespace loadshare::integer_sort
