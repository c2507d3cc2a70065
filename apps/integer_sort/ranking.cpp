#include "apps/integer_sort/ranking.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#if defined(__x86_64__)
#endif

namespace loadshare::integer_sort {
namespace {

#if defined(__x86_64__)

/// Writes a cache line to memory past the caches. Both addresses are aligned to a line.
template <std::size_t count>
void copy_line(const std::array<Key, count>& line, Key* out) {
  constexpr std::size_t step = sizeof(__m128i) / sizeof(Key);
  for (std::size_t i = 0; i < count; i += step)
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(line.data() + i)));
}

/// Makes writes past the caches visible to other threads.
void order_stores() {
  _mm_sfence();
}

#else

template <std::size_t count>
void copy_line(const std::array<Key, count>& line, Key* out) {
  std::ranges::copy(line, out);
}

void order_stores() {}

#endif

/// Returns the shift that maps a key to its bucket without a division.
int shift_of(const ProblemClass& problem) {
  return std::countr_zero(static_cast<std::uint64_t>(problem.bucket_width()));
}

}  // namespace

BucketWriter::BucketWriter(std::span<const Count> sizes, std::span<Key> out)
    : out_(out),
      skew_(reinterpret_cast<std::uintptr_t>(out.data()) % line_bytes / sizeof(Key)),
      lines_(sizes.size()) {
  std::size_t begin = 0;
  for (const Count size : sizes) {
    buckets_.push_back({begin, begin});
    begin += static_cast<std::size_t>(size);
  }
}

void BucketWriter::write(std::size_t bucket, std::size_t end) {
  std::size_t& written = buckets_[bucket].written;
  const auto& keys = lines_[bucket].keys;
  if (end - written == line_keys)
    copy_line(keys, &out_[written]);
  else
    std::copy_n(keys.begin() + static_cast<std::ptrdiff_t>(slot_of(written)), end - written, &out_[written]);
  written = end;
}

void BucketWriter::finish() {
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
    if (const Bucket& rest = buckets_[bucket]; rest.written < rest.next) write(bucket, rest.next);
  order_stores();
}

std::vector<Count> bucket_sizes(const ProblemClass& problem, std::span<const Key> keys) {
  const int shift = shift_of(problem);
  std::vector<Count> sizes(static_cast<std::size_t>(problem.buckets));
  for (const Key key : keys) ++sizes[static_cast<std::size_t>(key >> shift)];
  return sizes;
}

void put_into_buckets(const ProblemClass& problem, std::span<const Key> keys, std::span<const Count> sizes,
                      std::span<Key> out) {
  const int shift = shift_of(problem);
  BucketWriter writer(sizes, out);
  for (const Key key : keys) writer.put(static_cast<std::size_t>(key >> shift), key);
  writer.finish();
}

std::vector<spmd::Part> share_buckets(std::span<const Count> totals, int ranks) {
  const auto buckets = static_cast<Index>(totals.size());
  const Index share = keys_in(totals, {0, buckets}) / ranks;
  std::vector<spmd::Part> parts;
  Index first = 0, keys = 0;
  for (Index bucket = 0; bucket < buckets; ++bucket) {
    keys += totals[static_cast<std::size_t>(bucket)];
    const auto served = static_cast<Index>(parts.size());
    if (served == ranks || keys < (served + 1) * share) continue;
    parts.push_back({first, bucket + 1 - first});
    first = bucket + 1;
  }
  parts.resize(static_cast<std::size_t>(ranks), {buckets, 0});
  return parts;
}

Index keys_in(std::span<const Count> sizes, spmd::Part buckets) {
  const auto part =
      sizes.subspan(static_cast<std::size_t>(buckets.first), static_cast<std::size_t>(buckets.size));
  return std::accumulate(part.begin(), part.end(), Index{0});
}

void Ranking::rank(std::span<const Key> keys, spmd::Part values, Index lesser) {
  first_ = static_cast<Key>(values.first);
  lesser_ = lesser;
  begins_.assign(static_cast<std::size_t>(values.size), 0);
  for (const Key key : keys) ++begins_[place_of(key)];
  std::exclusive_scan(begins_.begin(), begins_.end(), begins_.begin(), Count{0});
}

void Ranking::sort_into(std::span<const Key> keys, std::span<Key> out) const {
  std::vector<Count> next = begins_;
  for (const Key key : keys) out[static_cast<std::size_t>(next[place_of(key)]++)] = key;
}

}  // namespace loadshare::integer_sort
