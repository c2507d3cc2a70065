#include "apps/integer_sort/buckets.hpp"

#include <bit>
#include <numeric>

#include "apps/integer_sort/bucket_writer.hpp"

namespace loadshare::integer_sort {

namespace {

/// Key by bucket, without a division.
int shift_of(const ProblemClass& problem) {
  return std::countr_zero(static_cast<std::uint64_t>(problem.bucket_width()));
}

}  // namespace

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

}  // namespace loadshare::integer_sort
