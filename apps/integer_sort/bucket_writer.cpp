#include "apps/integer_sort/bucket_writer.hpp"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace loadshare::integer_sort {

namespace {

#if defined(__x86_64__)

/// Past the caches; both begin a line.
template <std::size_t count>
void copy_line(const std::array<Key, count>& line, Key* out) {
  constexpr std::size_t step = sizeof(__m128i) / sizeof(Key);
  for (std::size_t i = 0; i < count; i += step)
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(line.data() + i)));
}

/// Others may read what was written past the caches.
void settle() {
  _mm_sfence();
}

#else

template <std::size_t count>
void copy_line(const std::array<Key, count>& line, Key* out) {
  std::ranges::copy(line, out);
}

void settle() {}

#endif

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
  settle();
}

}  // namespace loadshare::integer_sort
