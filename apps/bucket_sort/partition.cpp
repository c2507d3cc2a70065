#include "apps/bucket_sort/partition.hpp"

#include <algorithm>

namespace loadshare::bucket_sort {

namespace {

constexpr std::size_t few_splitters = 16;

// Below a few splitters comparing with all of them beats a search, which cannot be foretold.
std::size_t bucket_of(Key key, const Splitters& splitters) {
  if (splitters.size() > few_splitters)
    return static_cast<std::size_t>(std::ranges::upper_bound(splitters, key) - splitters.begin());
  std::size_t bucket = 0;
  for (const Key splitter : splitters) bucket += key >= splitter ? 1 : 0;
  return bucket;
}

}  // namespace

std::vector<Index> bucket_sizes(std::span<const Key> keys, const Splitters& splitters) {
  std::vector<Index> sizes(splitters.size() + 1);
  for (const Key key : keys) ++sizes[bucket_of(key, splitters)];
  return sizes;
}

void put_into_buckets(std::span<const Key> keys, const Splitters& splitters, const std::vector<Index>& sizes,
                      std::span<Key> out) {
  std::vector<std::size_t> next;
  std::size_t at = 0;
  for (const Index size : sizes) {
    next.push_back(at);
    at += static_cast<std::size_t>(size);
  }
  for (const Key key : keys) out[next[bucket_of(key, splitters)]++] = key;
}

}  // namespace loadshare::bucket_sort
