#pragma once

#include <span>
#include <vector>

#include "apps/integer_sort/buckets.hpp"

namespace loadshare::integer_sort {

/// The ranks of the keys of one rank's buckets, by counting: the least key has rank `lesser`, the number of
/// keys on the ranks before. Fastest where keys of one bucket come together: their counters fit the cache.
class Ranking final {
 public:
  /// Of `keys`, whose values are all in `values`.
  void rank(std::span<const Key> keys, spmd::Part values, Index lesser);

  /// Whether a key of this value would be on this rank.
  bool holds(Key key) const { return key >= first_ && key - first_ < static_cast<Key>(begins_.size()); }
  /// How many keys there are before the first of this value, which it must hold.
  Index rank_of(Key key) const { return lesser_ + begins_[place_of(key)]; }
  /// Puts the keys that were ranked into `out`, in order.
  void sort_into(std::span<const Key> keys, std::span<Key> out) const;

 private:
  std::size_t place_of(Key key) const { return static_cast<std::size_t>(key - first_); }

  Key first_ = 0;
  Index lesser_ = 0;
  std::vector<Count> begins_;  // by value: how many keys of this rank are less
};

}  // namespace loadshare::integer_sort
