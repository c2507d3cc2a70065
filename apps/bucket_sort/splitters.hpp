#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/bucket_sort/keys.hpp"
#include "apps/spmd/session.hpp"

namespace loadshare::bucket_sort {

/// The least keys of all buckets but the first, ascending: one fewer than there are buckets, one a rank.
using Splitters = std::vector<Key>;

/// A way of finding them, the same on every rank. Collective where ranks have to ask each other.
struct SplitInfo {
  const char* name;
  const char* description;
  Splitters (*find)(spmd::Session& session, std::span<const Key> own);
};

/// The ways there are, the usual one first.
std::span<const SplitInfo> splits();

/// The way of that name; throws UsageError, with the nearest name, where there is none.
const SplitInfo& find_split(const std::string& name);

/// All possible keys in `buckets` ranges of one length.
Splitters range_splitters(Index buckets);

/// Keys at regular places of `own`; where it has fewer than `count`, the rest are the largest key there is.
std::vector<Key> sample_of(std::span<const Key> own, Index count);

/// Such as give each bucket as many of the sample as any other.
Splitters sample_splitters(std::vector<Key> sample, Index buckets);

}  // namespace loadshare::bucket_sort
