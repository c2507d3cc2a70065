#pragma once

#include <span>
#include <vector>

#include "apps/integer_sort/options.hpp"
#include "apps/integer_sort/partial_checks.hpp"
#include "apps/spmd/session.hpp"

namespace loadshare::integer_sort {

/// The Integer Sort of the NAS Parallel Benchmarks (report RNR-94-007, section 2.4.5, by the bucket sort of
/// its MPI implementation), one rank's part in it. Each iteration puts this rank's keys into buckets, adds up
/// what all ranks have in each, gives every rank about as many keys in buckets of its own, and counts out
/// their ranks.
class Benchmark final {
 public:
  /// Makes this rank's keys, and ranks them once, untimed. Throws UsageError.
  Benchmark(const SortOptions& options, spmd::Session& session);

  /// All iterations. Returns how many keys fell to this rank in the last one.
  Index run();

  const ProblemClass& problem() const { return problem_; }
  /// Of the keys before they are ranked: those that this rank begins each iteration with.
  spmd::Part places() const;
  /// The values of keys that this rank got.
  spmd::Part values() const;
  /// The keys it got, in order.
  std::vector<Key> sorted() const;
  PartialChecks& checks() { return checks_; }
  /// Keys put into buckets or ranked by this rank while it ran.
  Index handled() const { return handled_; }

 private:
  std::span<const Key> received() const { return std::span(received_).first(received_size_); }
  std::span<const Count> bucket_totals() const {
    return std::span(totals_).first(static_cast<std::size_t>(problem_.buckets));
  }
  std::span<const Count> test_key_values() const { return std::span(totals_).last(test_keys); }
  void iterate(Index iteration);
  void fill_buckets(Index iteration);
  void add_up_buckets();
  void hide_test_keys();
  void exchange_buckets();
  void rank_keys(Index iteration);
  void spoil();

  const SortOptions& options_;
  spmd::Session& session_;
  const ProblemClass& problem_;
  std::vector<Key> own_;
  std::vector<Key> outgoing_;  // own ones by bucket
  std::vector<Count> sizes_;   // of the buckets of own keys
  std::vector<Count> totals_;  // of all ranks' buckets, and behind them the values of the test keys
  std::vector<spmd::Part> buckets_of_ranks_;
  std::vector<Key> received_;
  std::size_t received_size_ = 0;
  Ranking ranking_;
  PartialChecks checks_;
  Index handled_ = 0;
};

}  // namespace loadshare::integer_sort
