#pragma once

#include <array>
#include <span>
#include <vector>

#include "apps/integer_sort/buckets.hpp"

namespace loadshare::integer_sort {

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

}  // namespace loadshare::integer_sort
