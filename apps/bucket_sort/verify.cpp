#include "apps/bucket_sort/verify.hpp"

#include <algorithm>

namespace loadshare::bucket_sort {

namespace {

/// Returns the greatest key of the preceding ranks. A rank without keys counts as one with the least key.
Key greatest_before(std::span<const Key> result, spmd::Exchange& exchange) {
  const Key own = result.empty() ? 0 : result.back();
  const std::vector<Key> all = exchange.all_gather(std::span<const Key>(&own, 1));
  Key greatest = 0;
  for (int rank = 0; rank < exchange.rank(); ++rank)
    greatest = std::max(greatest, all[static_cast<std::size_t>(rank)]);
  return greatest;
}

}  // namespace

spmd::SortedPart summarize(const KeySet& keys, spmd::Part places, std::span<const Key> result,
                           Key greatest_before) {
  spmd::SortedPart part;
  for (Index place = places.first; place < places.end(); ++place) part.before.add(keys.key_at(keys, place));
  for (const Key key : result) part.after.add(key);
  part.is_sorted = std::ranges::is_sorted(result);
  part.follows = result.empty() || result.front() >= greatest_before;
  return part;
}

std::string what_is_wrong(Sort& sort, spmd::Exchange& exchange) {
  const Key before = greatest_before(sort.result(), exchange);
  return spmd::what_is_wrong(summarize(sort.keys(), sort.places(), sort.result(), before), exchange);
}

}  // namespace loadshare::bucket_sort
