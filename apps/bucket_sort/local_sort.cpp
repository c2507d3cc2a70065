#include "apps/bucket_sort/local_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace loadshare::bucket_sort {

namespace {

/// Which small bucket a key is in. Every step of it keeps the order of keys, rounding too, so that the
/// buckets are in order.
class SmallBuckets {
 public:
  SmallBuckets(std::span<const Key> keys)
      : count_(std::max<std::size_t>(1, keys.size() / static_cast<std::size_t>(small_bucket))) {
    const auto [least, greatest] = std::ranges::minmax(keys);
    least_ = least;
    const double length = distance(greatest);
    if (length > 0) buckets_a_key_ = static_cast<double>(count_) / length;
  }

  std::size_t count() const { return count_; }
  std::size_t of(Key key) const {
    return std::min(count_ - 1, static_cast<std::size_t>(distance(key) * buckets_a_key_));
  }

 private:
  /// Half of it: a distance beyond 2^63 would be converted on a branch of its own, which is mispredicted for
  /// every other key where the keys span all numbers, and made one rank's sort a sixth slower than two
  /// ranks'.
  double distance(Key key) const {
    return static_cast<double>(static_cast<std::int64_t>((key - least_) >> 1));
  }

  std::size_t count_;
  Key least_ = 0;
  double buckets_a_key_ = 0;
};

/// Where each bucket begins, and where the last one ends.
std::vector<std::size_t> places(std::span<const Key> keys, const SmallBuckets& buckets) {
  std::vector<std::size_t> begins(buckets.count() + 1);
  for (const Key key : keys) ++begins[buckets.of(key) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  return begins;
}

}  // namespace

void sort_into(std::span<const Key> keys, std::span<Key> out) {
  if (keys.empty()) return;
  const SmallBuckets buckets(keys);
  const std::vector<std::size_t> begins = places(keys, buckets);
  std::vector<std::size_t> next = begins;
  for (const Key key : keys) out[next[buckets.of(key)]++] = key;
  for (std::size_t i = 0; i < buckets.count(); ++i)
    std::ranges::sort(out.subspan(begins[i], begins[i + 1] - begins[i]));
}

}  // namespace loadshare::bucket_sort
