#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/spmd/session.hpp"
#include "base/types.hpp"

namespace loadshare::bucket_sort {

using Key = std::uint64_t;

/// All keys of a run: how many, and how they are distributed.
struct KeySet {
  Index size = 0;
  std::uint64_t seed = 1;
  /// The key at a place of the unsorted sequence, from the random bits of that place: a pure function, so
  /// that every rank can make its own part of the same sequence.
  Key (*key_at)(const KeySet& keys, Index place) = nullptr;
};

/// A way of distributing keys.
struct KeyInfo {
  const char* name;
  const char* description;
  Key (*key_at)(const KeySet& keys, Index place);
};

/// The distributions there are, the usual one first.
std::span<const KeyInfo> key_distributions();

/// The distribution of that name; throws UsageError, with the nearest name, where there is none.
const KeyInfo& find_keys(const std::string& name);

/// Fills `out` with the keys from place `first` on.
void make_keys(const KeySet& keys, Index first, std::span<Key> out);

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
