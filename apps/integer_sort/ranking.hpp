#pragma once

#include <array>
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

/// Writes keys behind each other into many buckets of one array. Each bucket's last keys wait until they are
/// a cache line, which then goes to memory past the caches. Written key by key the lines of a thousand
/// buckets would push each other out of the first cache, and each be read before it is overwritten: twice the
/// time.
class BucketWriter final {
 public:
  /// `sizes` are those of the buckets, which together fill `out`.
  BucketWriter(std::span<const Count> sizes, std::span<Key> out);

  void put(std::size_t bucket, Key key) {
    Bucket& target = buckets_[bucket];
    const std::size_t at = target.next++;
    const std::size_t slot = slot_of(at);
    lines_[bucket].keys[slot] = key;
    if (slot == line_keys - 1) write(bucket, at + 1);
  }

  /// Writes what still waits; to be called once, in the end.
  void finish();

 private:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t line_keys = line_bytes / sizeof(Key);

  struct alignas(line_bytes) Line {
    std::array<Key, line_keys> keys;
  };
  struct Bucket {
    std::size_t written;  // the first place of `out` that is not
    std::size_t next;
  };

  /// Of a place of `out`, in its line.
  std::size_t slot_of(std::size_t place) const { return (place + skew_) % line_keys; }
  /// Writes what waits for the places before `end`, all of them in one line.
  void write(std::size_t bucket, std::size_t end);

  std::span<Key> out_;
  std::size_t skew_;  // how far behind a line's beginning `out` begins
  std::vector<Bucket> buckets_;
  std::vector<Line> lines_;
};

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
