#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "schedulers/types.hpp"

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

}  // namespace loadshare::bucket_sort
