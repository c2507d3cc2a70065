#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/spmd/session.hpp"
#include "base/types.hpp"

namespace loadshare::bucket_sort {

using Key = std::uint64_t;

/// All keys of a run: their number and distribution.
struct KeySet {
  Index size = 0;
  std::uint64_t seed = 1;
  /// Returns the key at a position of the unsorted sequence. A pure function of that position's random bits,
  /// so that every rank can make its own part of the same sequence.
  Key (*key_at)(const KeySet& keys, Index place) = nullptr;
};

/// A distribution of keys.
struct KeyInfo {
  const char* name;
  const char* description;
  Key (*key_at)(const KeySet& keys, Index place);
};

/// Returns the available distributions, the default first.
std::span<const KeyInfo> key_distributions();

/// Returns the distribution of that name. Throws UsageError, with the nearest name, if there is none.
const KeyInfo& find_keys(const std::string& name);

/// Fills `out` with the keys from position `first` on.
void make_keys(const KeySet& keys, Index first, std::span<Key> out);

/// The least key of every bucket but the first, ascending. There is one bucket per rank.
using Splitters = std::vector<Key>;

/// A method to find splitters, the same on every rank. Collective if ranks must exchange data.
struct SplitInfo {
  const char* name;
  const char* description;
  Splitters (*find)(spmd::Session& session, std::span<const Key> own);
};

/// Returns the available methods, the default first.
std::span<const SplitInfo> splits();

/// Returns the method of that name. Throws UsageError, with the nearest name, if there is none.
const SplitInfo& find_split(const std::string& name);

/// Divides all possible keys into `buckets` ranges of equal length.
Splitters range_splitters(Index buckets);

/// Returns `count` keys at regular positions of `own`. If it has fewer, the largest possible key fills the
/// rest.
std::vector<Key> sample_of(std::span<const Key> own, Index count);

/// Returns splitters that divide the sample equally among the buckets.
Splitters sample_splitters(std::vector<Key> sample, Index buckets);

}  // namespace loadshare::bucket_sort
