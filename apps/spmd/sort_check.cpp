#include "apps/spmd/sort_check.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/random.hpp"

namespace loadshare::spmd {
namespace {

constexpr std::size_t words = 8;  // of a part in a message

std::array<std::uint64_t, words> encode(const SortedPart& p) {
  return {p.before.count, p.before.first, p.before.second,       p.after.count,
          p.after.first,  p.after.second, p.is_sorted ? 1U : 0U, p.follows ? 1U : 0U};
}

SortedPart decode(std::span<const std::uint64_t> w) {
  return {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}, w[6] != 0, w[7] != 0};
}

}  // namespace

void Fingerprint::add(std::uint64_t key) {
  ++count;
  first += split_mix::mix(key + split_mix::golden_gamma);
  second += split_mix::mix(~key * split_mix::golden_gamma);
}

Fingerprint& Fingerprint::operator+=(const Fingerprint& other) {
  count += other.count;
  first += other.first;
  second += other.second;
  return *this;
}

std::string difference_between(const Fingerprint& before, const Fingerprint& after) {
  if (before.count != after.count) return fmt::format("{} keys became {}", before.count, after.count);
  if (before != after) return "the sorted keys are not those of the input";
  return {};
}

std::string what_is_wrong(std::span<const SortedPart> ranks) {
  Fingerprint before, after;
  for (const SortedPart& rank : ranks) {
    before += rank.before;
    after += rank.after;
  }
  const std::string difference = difference_between(before, after);
  if (!difference.empty()) return difference;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks[rank].is_sorted) return fmt::format("the keys are not in order on rank {}", rank);
    if (!ranks[rank].follows) return fmt::format("rank {} has a key that belongs on a rank before it", rank);
  }
  return {};
}

std::string what_is_wrong(const SortedPart& own, Exchange& exchange) {
  const auto encoded = encode(own);
  const std::vector<std::uint64_t> all = exchange.all_gather(std::span<const std::uint64_t>(encoded));
  std::vector<SortedPart> ranks;
  for (std::size_t at = 0; at < all.size(); at += words)
    ranks.push_back(decode(std::span(all).subspan(at, words)));
  return what_is_wrong(ranks);
}

}  // namespace loadshare::spmd
