#include "apps/integer_sort/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace loadshare::integer_sort {

namespace {

constexpr std::size_t words = 8;  // of a summary that travels

std::array<std::uint64_t, words> encode(const Summary& s) {
  return {s.before.count, s.before.first, s.before.second,       s.after.count,
          s.after.first,  s.after.second, s.is_sorted ? 1U : 0U, s.follows ? 1U : 0U};
}

Summary decode(std::span<const std::uint64_t> w) {
  return {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}, w[6] != 0, w[7] != 0};
}

/// The greatest key of the rank before, which on the first rank is less than any. A rank without keys, whose
/// values begin behind those of all ranks with some, passes on where they begin.
Key greatest_before(Key own_greatest, spmd::Exchange& exchange) {
  Key before = -1;
  const int next = exchange.rank() + 1;
  if (next < exchange.ranks()) exchange.send(std::span<const Key>(&own_greatest, 1), next);
  if (exchange.rank() > 0) exchange.receive(std::span(&before, 1), exchange.rank() - 1);
  return before;
}

Summary summarize(const Benchmark& benchmark, spmd::Exchange& exchange) {
  const std::vector<Key> keys = benchmark.sorted();
  Summary summary;
  summary.before = fingerprint_of(benchmark.problem(), benchmark.places());
  for (const Key key : keys) summary.after.add(static_cast<std::uint64_t>(key));
  summary.is_sorted = std::ranges::is_sorted(keys);
  const auto first_value = static_cast<Key>(benchmark.values().first);
  const Key before = greatest_before(keys.empty() ? first_value : keys.back(), exchange);
  summary.follows = keys.empty() || keys.front() >= before;
  return summary;
}

std::string verify_in_full(const Benchmark& benchmark, spmd::Exchange& exchange) {
  const auto own = encode(summarize(benchmark, exchange));
  const std::vector<std::uint64_t> all = exchange.all_gather(std::span<const std::uint64_t>(own));
  std::vector<Summary> ranks;
  for (std::size_t at = 0; at < all.size(); at += words)
    ranks.push_back(decode(std::span(all).subspan(at, words)));
  return what_is_wrong(ranks);
}

}  // namespace

spmd::Fingerprint fingerprint_of(const ProblemClass& problem, spmd::Part places) {
  spmd::Fingerprint fingerprint;
  KeySequence keys(problem, places.first);
  for (Index place = places.first; place < places.end(); ++place)
    fingerprint.add(static_cast<std::uint64_t>(altered(problem, place, keys.next())));
  return fingerprint;
}

std::string what_is_wrong(const std::vector<Summary>& ranks) {
  spmd::Fingerprint before, after;
  for (const Summary& rank : ranks) {
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

Outcome verify(Benchmark& benchmark, spmd::Exchange& exchange) {
  PartialChecks& checks = benchmark.checks();
  exchange.sum(checks.marks());
  return {checks.passed(), checks.what_is_wrong(), verify_in_full(benchmark, exchange)};
}

}  // namespace loadshare::integer_sort
