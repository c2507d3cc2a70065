#include "apps/integer_sort/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace loadshare::integer_sort {

void PartialChecks::check(const ProblemClass& problem, Index iteration, std::span<const Count> keys,
                          const Ranking& ranking) {
  for (std::size_t i = 0; i < test_keys; ++i) {
    const bool is_right =
        ranking.holds(keys[i]) && ranking.rank_of(keys[i]) == problem.tests[i].rank_in(iteration);
    marks_[static_cast<std::size_t>(iteration - 1) * test_keys + i] = is_right ? 1 : 0;
  }
}

Index PartialChecks::passed() const {
  return std::ranges::count(marks_, 1);
}

std::string PartialChecks::what_is_wrong() const {
  const auto failed = std::ranges::find_if(marks_, [](Index mark) { return mark != 1; });
  if (failed == marks_.end()) return {};
  const auto at = static_cast<std::size_t>(failed - marks_.begin());
  return fmt::format("{} of {} partial checks failed, the first that of test key {} in iteration {}",
                     count - passed(), count, at % test_keys, at / test_keys + 1);
}

Benchmark::Benchmark(const SortOptions& options, spmd::Session& session)
    : options_(options), session_(session), problem_(find_class(options.problem)) {
  constexpr Bytes copies = 4;  // own keys, by bucket, received, sorted
  require_ranks(problem_, session.ranks());
  const auto own = static_cast<Bytes>(places().size);
  const auto counters = static_cast<Bytes>(problem_.max_key / session.ranks());
  session.require_memory_for((copies * own + 2 * counters) * sizeof(Key), 0,
                             fmt::format("class {} with {} keys", problem_.name, problem_.keys));
  own_.resize(own);
  outgoing_.resize(own);
  make_keys(problem_, places().first, own_);
  iterate(1);
}

spmd::Part Benchmark::places() const {
  return spmd::part_of(problem_.keys, session_.ranks(), session_.rank());
}

spmd::Part Benchmark::values() const {
  const auto [first, size] = buckets_of_ranks_[static_cast<std::size_t>(session_.rank())];
  return {first * problem_.bucket_width(), size * problem_.bucket_width()};
}

std::vector<Key> Benchmark::sorted() const {
  std::vector<Key> keys(received().size());
  ranking_.sort_into(received(), keys);
  return keys;
}

Index Benchmark::run() {
  handled_ = 0;
  for (Index iteration = 1; iteration <= iterations; ++iteration) {
    if (iteration == options_.spoiled_iteration) spoil();
    iterate(iteration);
    session_.progress(iteration, iterations);
  }
  return static_cast<Index>(received().size());
}

void Benchmark::iterate(Index iteration) {
  fill_buckets(iteration);
  add_up_buckets();
  exchange_buckets();
  rank_keys(iteration);
  handled_ += static_cast<Index>(own_.size() + received().size());
}

void Benchmark::fill_buckets(Index iteration) {
  session_.clock().compute([&] {
    if (session_.is_first()) alter(problem_, iteration, own_);
    for (Index time = 0; time < options_.run.work; ++time) {
      sizes_ = bucket_sizes(problem_, own_);
      put_into_buckets(problem_, own_, sizes_, outgoing_);
    }
    totals_ = sizes_;
    hide_test_keys();
  });
}

/// Sends the test keys' values with the sizes of the buckets, because only the rank that has a key knows its
/// value.
void Benchmark::hide_test_keys() {
  totals_.resize(totals_.size() + test_keys);
  const auto hidden = std::span(totals_).last(test_keys);
  for (std::size_t i = 0; i < test_keys; ++i) {
    const Index at = problem_.tests[i].place - places().first;
    if (at >= 0 && at < places().size) hidden[i] = own_[static_cast<std::size_t>(at)];
  }
}

void Benchmark::add_up_buckets() {
  session_.exchange().sum(std::span(totals_));
  session_.clock().compute([&] { buckets_of_ranks_ = share_buckets(bucket_totals(), session_.ranks()); });
}

void Benchmark::exchange_buckets() {
  std::vector<Index> out_sizes;
  session_.clock().compute([&] {
    for (const spmd::Part buckets : buckets_of_ranks_) out_sizes.push_back(keys_in(sizes_, buckets));
  });
  const std::vector<Index> in_sizes = session_.exchange().all_to_all(out_sizes);
  received_size_ = std::accumulate(in_sizes.begin(), in_sizes.end(), std::size_t{0});
  session_.clock().compute([&] {
    if (received_.size() < received_size_) received_.resize(received_size_);
  });
  session_.exchange().all_to_all(std::span<const Key>(outgoing_), out_sizes,
                                 std::span(received_).first(received_size_), in_sizes);
}

void Benchmark::rank_keys(Index iteration) {
  session_.clock().compute([&] {
    const Index first_bucket = buckets_of_ranks_[static_cast<std::size_t>(session_.rank())].first;
    const Index lesser = keys_in(bucket_totals(), {0, first_bucket});
    for (Index time = 0; time < options_.run.work; ++time) ranking_.rank(received(), values(), lesser);
    checks_.check(problem_, iteration, test_key_values(), ranking_);
  });
}

/// Makes the first key the least, which changes the ranks of all smaller keys.
void Benchmark::spoil() {
  if (session_.is_first()) own_.front() = 0;
}

}  // namespace loadshare::integer_sort
