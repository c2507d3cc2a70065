#include "apps/bucket_sort/sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace loadshare::bucket_sort {
namespace {

/// Maps a key to its small bucket. Every step preserves the order of keys, including the rounding, so that
/// the buckets are in order.
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
  /// Returns half the distance, because a distance beyond 2^63 would be converted on a separate branch. If
  /// the keys span all numbers, that branch is mispredicted for every other key, which made the sort of one
  /// rank a sixth slower than that of two.
  double distance(Key key) const {
    return static_cast<double>(static_cast<std::int64_t>((key - least_) >> 1));
  }

  std::size_t count_;
  Key least_ = 0;
  double buckets_a_key_ = 0;
};

/// Returns the start of each bucket, and the end of the last one.
std::vector<std::size_t> places(std::span<const Key> keys, const SmallBuckets& buckets) {
  std::vector<std::size_t> begins(buckets.count() + 1);
  for (const Key key : keys) ++begins[buckets.of(key) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  return begins;
}

constexpr std::size_t few_splitters = 16;

// Comparing with all of a few splitters is faster than a search with mispredicted branches.
std::size_t bucket_of(Key key, const Splitters& splitters) {
  if (splitters.size() > few_splitters)
    return static_cast<std::size_t>(std::ranges::upper_bound(splitters, key) - splitters.begin());
  std::size_t bucket = 0;
  for (const Key splitter : splitters) bucket += key >= splitter ? 1 : 0;
  return bucket;
}

constexpr Index phases = 4;  // distribution, buckets, sorting, collection

Bytes bytes_of(Index keys) {
  return multiply_bytes(static_cast<Bytes>(keys), sizeof(Key));
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

Sort::Sort(const SortOptions& options, spmd::Session& session)
    : options_(options),
      session_(session),
      split_(find_split(options.split)),
      keys_{options.size, static_cast<std::uint64_t>(options.run.seed), find_keys(options.keys).key_at} {
  constexpr Bytes copies = 4;  // distributed, in buckets, received, sorted
  const Bytes own_bytes = bytes_of(spmd::longest_part(options.size, session.ranks()));
  session.require_memory_for(multiply_bytes(own_bytes, copies), is_whole() ? bytes_of(options.size) : 0,
                             fmt::format("sorting {} keys", options.size));
  if (has_all()) {
    all_.resize(static_cast<std::size_t>(options.size));
    make_keys(keys_, 0, all_);
  } else {
    own_.resize(static_cast<std::size_t>(places().size));
  }
  if (!is_whole()) make_keys(keys_, places().first, own_);
  outgoing_.resize(own().size());
}

spmd::Part Sort::places() const {
  return spmd::part_of(options_.size, session_.ranks(), session_.rank());
}

Index Sort::run() {
  if (is_whole()) deal_out();
  session_.progress(1, phases);
  exchange_buckets(split_.find(session_, own()));
  session_.progress(2, phases);
  sort_bucket();
  session_.progress(3, phases);
  if (is_whole()) collect();
  return static_cast<Index>(received_.size());
}

void Sort::deal_out() {
  session_.exchange().scatter(std::span<const Key>(all_), spmd::part_sizes(options_.size, session_.ranks()),
                              own());
}

void Sort::exchange_buckets(const Splitters& splitters) {
  std::vector<Index> out_sizes;
  session_.clock().compute([&] {
    for (Index time = 0; time < options_.run.work; ++time) {
      out_sizes = bucket_sizes(own(), splitters);
      put_into_buckets(own(), splitters, out_sizes, outgoing_);
    }
  });
  const std::vector<Index> in_sizes = session_.exchange().all_to_all(out_sizes);
  const Index size = std::accumulate(in_sizes.begin(), in_sizes.end(), Index{0});
  session_.clock().compute([&] { received_.resize(static_cast<std::size_t>(size)); });
  session_.exchange().all_to_all(std::span<const Key>(outgoing_), out_sizes, std::span(received_), in_sizes);
}

void Sort::sort_bucket() {
  session_.clock().compute([&] {
    if (!has_all()) bucket_.resize(received_.size());
    for (Index time = 0; time < options_.run.work; ++time) sort_into(received_, bucket());
  });
}

void Sort::collect() {
  const auto size = static_cast<Index>(received_.size());
  const std::vector<Index> sizes = session_.exchange().all_gather(std::span(&size, 1));
  session_.exchange().gather(std::span<const Key>(bucket()), sizes, std::span(all_));
}

}  // namespace loadshare::bucket_sort
