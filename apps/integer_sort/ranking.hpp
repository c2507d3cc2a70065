#pragma once

#include <array>
#include <span>
#include <vector>

#include "apps/integer_sort/keys.hpp"
#include "apps/spmd/parts.hpp"

namespace loadshare::integer_sort {

/// A number of keys in messages: 32 bits, as in the benchmark.
using Count = std::int32_t;

/// Returns the number of keys for each bucket.
std::vector<Count> bucket_sizes(const ProblemClass& problem, std::span<const Key> keys);

/// Copies `keys` to `out`, bucket after bucket. `sizes` is the result of `bucket_sizes`.
void put_into_buckets(const ProblemClass& problem, std::span<const Key> keys, std::span<const Count> sizes,
                      std::span<Key> out);

/// Returns each rank's buckets, given all ranks' keys in them. A rank takes buckets until it and the ranks
/// before it have at least their share of the keys. So the last ranks may have none.
std::vector<spmd::Part> share_buckets(std::span<const Count> totals, int ranks);

/// Returns the number of keys in a range of buckets.
Index keys_in(std::span<const Count> sizes, spmd::Part buckets);

/// Writes keys into many buckets of one array. It collects each bucket's keys in a cache line and writes that
/// line to memory past the caches. If keys were written one by one, the lines of a thousand buckets would
/// evict each other from the first cache and be read before they are overwritten, which takes twice the time.
class BucketWriter final {
 public:
  /// `sizes` are the sizes of the buckets, which together fill `out`.
  BucketWriter(std::span<const Count> sizes, std::span<Key> out);

  void put(std::size_t bucket, Key key) {
    Bucket& target = buckets_[bucket];
    const std::size_t at = target.next++;
    const std::size_t slot = slot_of(at);
    lines_[bucket].keys[slot] = key;
    if (slot == line_keys - 1) write(bucket, at + 1);
  }

  /// Writes the incomplete lines. Call it once, at the end.
  void finish();

 private:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t line_keys = line_bytes / sizeof(Key);

  struct alignas(line_bytes) Line {
    std::array<Key, line_keys> keys;
  };
  struct Bucket {
    std::size_t written;  // first position of `out` that is not written
    std::size_t next;
  };

  /// Returns the slot of a position of `out` within its line.
  std::size_t slot_of(std::size_t place) const { return (place + skew_) % line_keys; }
  /// Writes the waiting keys of positions before `end`, all in one line.
  void write(std::size_t bucket, std::size_t end);

  std::span<Key> out_;
  std::size_t skew_;  // distance of the beginning of `out` from that of a line
  std::vector<Bucket> buckets_;
  std::vector<Line> lines_;
};

/// The ranks of the keys in one rank's buckets, by counting. The least key has rank `lesser`, the number of
/// keys on the ranks before. Fastest if keys of one bucket are adjacent, because their counters then fit the
/// cache.
class Ranking final {
 public:
  /// Ranks `keys`, whose values are all in `values`.
  void rank(std::span<const Key> keys, spmd::Part values, Index lesser);

  /// Whether a key of this value belongs to this rank.
  bool holds(Key key) const { return key >= first_ && key - first_ < static_cast<Key>(begins_.size()); }
  /// Returns the number of keys before the first of this value, which must belong to this rank.
  Index rank_of(Key key) const { return lesser_ + begins_[place_of(key)]; }
  /// Puts the ranked keys into `out`, in order.
  void sort_into(std::span<const Key> keys, std::span<Key> out) const;

 private:
  std::size_t place_of(Key key) const { return static_cast<std::size_t>(key - first_); }

  Key first_ = 0;
  Index lesser_ = 0;
  std::vector<Count> begins_;  // by value: number of smaller keys on this rank
};

}  // namespace loadshare::integer_sort
