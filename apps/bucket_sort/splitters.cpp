#include "apps/bucket_sort/splitters.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/names.hpp"
#include "base/random.hpp"

namespace loadshare::bucket_sort {
namespace {

/// Returns one of four sets of random bits of a position.
std::uint64_t bits_of(const KeySet& keys, Index place, std::uint64_t which = 0) {
  const std::uint64_t number = 4 * static_cast<std::uint64_t>(place) + which;
  return split_mix::mix(split_mix::first_state(keys.seed, 0) + number * split_mix::golden_gamma);
}

Key uniform(const KeySet& keys, Index place) {
  return bits_of(keys, place);
}

// As in the NAS benchmark IS: nearly a normal distribution, without a tail that must be cut off.
Key gaussian(const KeySet& keys, Index place) {
  Key sum = 0;
  for (std::uint64_t which = 0; which < 4; ++which) sum += bits_of(keys, place, which) / 4;
  return sum;
}

Key few(const KeySet& keys, Index place) {
  constexpr int shift = 60;
  return bits_of(keys, place) >> shift << shift;
}

Key ascending(const KeySet& keys, Index place) {
  const Key step = std::numeric_limits<Key>::max() / static_cast<Key>(keys.size);
  return static_cast<Key>(place) * step + bits_of(keys, place) % step;
}

constexpr std::array key_kinds{
    KeyInfo{"uniform", "each of 2^64 as likely", uniform},
    KeyInfo{"gaussian", "the mean of four uniform ones: most lie in the middle", gaussian},
    KeyInfo{"few", "only 16 different ones", few},
    KeyInfo{"ascending", "in order already", ascending},
};

// With this number, a bucket differs from the mean by about 3 % (one standard deviation).
constexpr Index sample_keys_a_bucket = 1024;

Splitters split_by_range(spmd::Session& session, std::span<const Key>) {
  return range_splitters(session.ranks());
}

Splitters split_by_sample(spmd::Session& session, std::span<const Key> own) {
  std::vector<Key> sample;
  session.clock().compute([&] { sample = sample_of(own, sample_keys_a_bucket); });
  std::vector<Key> all = session.exchange().all_gather(std::span<const Key>(sample));
  Splitters splitters;
  session.clock().compute([&] { splitters = sample_splitters(std::move(all), session.ranks()); });
  return splitters;
}

constexpr std::array split_rules{
    SplitInfo{"range", "one length of the range of keys each: for uniform keys", split_by_range},
    SplitInfo{"sample", "by a sample of the keys, the same number of them each", split_by_sample},
};

}  // namespace

std::span<const KeyInfo> key_distributions() {
  return key_kinds;
}

const KeyInfo& find_keys(const std::string& name) {
  return row_named("--keys", name, key_kinds);
}

void make_keys(const KeySet& keys, Index first, std::span<Key> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = keys.key_at(keys, first + static_cast<Index>(i));
}

std::span<const SplitInfo> splits() {
  return split_rules;
}

const SplitInfo& find_split(const std::string& name) {
  return row_named("--split", name, split_rules);
}

Splitters range_splitters(Index buckets) {
  const Key length = std::numeric_limits<Key>::max() / static_cast<Key>(buckets) + (buckets > 1 ? 1 : 0);
  Splitters splitters;
  for (Index bucket = 1; bucket < buckets; ++bucket) splitters.push_back(static_cast<Key>(bucket) * length);
  return splitters;
}

std::vector<Key> sample_of(std::span<const Key> own, Index count) {
  std::vector<Key> sample;
  const auto size = static_cast<Index>(own.size());
  const Index taken = std::min(size, count);
  for (Index i = 0; i < taken; ++i) sample.push_back(own[static_cast<std::size_t>(i * size / taken)]);
  sample.resize(static_cast<std::size_t>(count), std::numeric_limits<Key>::max());
  return sample;
}

Splitters sample_splitters(std::vector<Key> sample, Index buckets) {
  std::ranges::sort(sample);
  const auto size = static_cast<Index>(sample.size());
  Splitters splitters;
  for (Index bucket = 1; bucket < buckets; ++bucket)
    splitters.push_back(sample[static_cast<std::size_t>(bucket * size / buckets)]);
  return splitters;
}

}  // namespace loadshare::bucket_sort
