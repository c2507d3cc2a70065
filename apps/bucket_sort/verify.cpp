#include "apps/bucket_sort/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace loadshare::bucket_sort {

namespace {

constexpr std::size_t words = 9;  // of a summary that travels

std::array<std::uint64_t, words> encode(const Summary& s) {
  return {s.before.count, s.before.first, s.before.second, s.after.count,        s.after.first,
          s.after.second, s.least,        s.greatest,      s.is_sorted ? 1U : 0U};
}

Summary decode(std::span<const std::uint64_t> w) {
  return {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}, w[6], w[7], w[8] != 0};
}

std::string disorder(const std::vector<Summary>& ranks) {
  Key greatest = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const Summary& one = ranks[rank];
    if (!one.is_sorted) return fmt::format("the keys are not in order on rank {}", rank);
    if (one.after.count == 0) continue;
    if (one.least < greatest) return fmt::format("rank {} has a key that belongs on a rank before it", rank);
    greatest = one.greatest;
  }
  return {};
}

}  // namespace

Summary summarize(const KeySet& keys, spmd::Part places, std::span<const Key> result) {
  Summary summary;
  for (Index place = places.first; place < places.end(); ++place)
    summary.before.add(keys.key_at(keys, place));
  for (const Key key : result) summary.after.add(key);
  summary.is_sorted = std::ranges::is_sorted(result);
  if (result.empty()) return summary;
  summary.least = result.front();
  summary.greatest = result.back();
  return summary;
}

std::string what_is_wrong(const std::vector<Summary>& ranks) {
  spmd::Fingerprint before, after;
  for (const Summary& rank : ranks) {
    before += rank.before;
    after += rank.after;
  }
  const std::string difference = difference_between(before, after);
  return difference.empty() ? disorder(ranks) : difference;
}

std::string what_is_wrong(Sort& sort, spmd::Exchange& exchange) {
  const auto own = encode(summarize(sort.keys(), sort.places(), sort.result()));
  const std::vector<std::uint64_t> all = exchange.all_gather(std::span<const std::uint64_t>(own));
  std::vector<Summary> ranks;
  for (std::size_t at = 0; at < all.size(); at += words)
    ranks.push_back(decode(std::span(all).subspan(at, words)));
  return what_is_wrong(ranks);
}

}  // namespace loadshare::bucket_sort
