#include "apps/integer_sort/verify.hpp"

#include <algorithm>

#include "apps/spmd/sort_check.hpp"

namespace loadshare::integer_sort {

namespace {

/// Returns the greatest key of the preceding rank; on the first rank, a number smaller than any key. A rank
/// without keys passes on the start of its values, which are greater than all keys of preceding ranks.
Key greatest_before(Key own_greatest, spmd::Exchange& exchange) {
  Key before = -1;
  const int next = exchange.rank() + 1;
  if (next < exchange.ranks()) exchange.send(std::span<const Key>(&own_greatest, 1), next);
  if (exchange.rank() > 0) exchange.receive(std::span(&before, 1), exchange.rank() - 1);
  return before;
}

spmd::SortedPart summarize(const Benchmark& benchmark, spmd::Exchange& exchange) {
  const std::vector<Key> keys = benchmark.sorted();
  spmd::SortedPart summary;
  summary.before = fingerprint_of(benchmark.problem(), benchmark.places());
  for (const Key key : keys) summary.after.add(static_cast<std::uint64_t>(key));
  summary.is_sorted = std::ranges::is_sorted(keys);
  const auto first_value = static_cast<Key>(benchmark.values().first);
  const Key before = greatest_before(keys.empty() ? first_value : keys.back(), exchange);
  summary.follows = keys.empty() || keys.front() >= before;
  return summary;
}

}  // namespace

spmd::Fingerprint fingerprint_of(const ProblemClass& problem, spmd::Part places) {
  spmd::Fingerprint fingerprint;
  KeySequence keys(problem, places.first);
  for (Index place = places.first; place < places.end(); ++place)
    fingerprint.add(static_cast<std::uint64_t>(altered(problem, place, keys.next())));
  return fingerprint;
}

Outcome verify(Benchmark& benchmark, spmd::Exchange& exchange) {
  PartialChecks& checks = benchmark.checks();
  exchange.sum(checks.marks());
  const std::string partial = benchmark.problem().knows_tests ? checks.what_is_wrong() : "";
  return {checks.passed(), partial, what_is_wrong(summarize(benchmark, exchange), exchange)};
}

}  // namespace loadshare::integer_sort
