#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/integer_sort/ranking.hpp"
#include "apps/spmd/session.hpp"

namespace loadshare::integer_sort {

enum class Verification { none, full };

/// Options of `integer_sort`.
struct SortOptions {
  spmd::Options run;
  std::string problem = "S";  ///< problem class
  Verification verification = Verification::full;
  std::optional<Index> spoiled_iteration;  ///< for testing: iteration before which the first key is spoiled
};

/// The benchmark's partial verification: whether the test keys have their known ranks in each iteration.
/// Every rank checks those that it holds; the sum over all ranks gives the result.
class PartialChecks final {
 public:
  static constexpr Index count = iterations * static_cast<Index>(test_keys);

  /// Checks the test keys after an iteration, counted from 1. `keys[i]` is the value of the i-th test key.
  void check(const ProblemClass& problem, Index iteration, std::span<const Count> keys,
             const Ranking& ranking);

  /// Returns the marks to sum over all ranks: 1 for a passed check, by iteration, then by test key.
  std::span<Index> marks() { return marks_; }

  Index passed() const;
  /// Returns "3 of 50 partial checks failed, the first that of test key 2 in iteration 10", or an empty text.
  std::string what_is_wrong() const;

 private:
  std::array<Index, static_cast<std::size_t>(count)> marks_{};
};

/// One rank's part of the Integer Sort of the NAS Parallel Benchmarks (report RNR-94-007, section 2.4.5, with
/// the bucket sort of its MPI implementation). Each iteration has four steps:
///
/// 1. Put this rank's keys into buckets.
/// 2. Add up all ranks' bucket sizes.
/// 3. Give every rank about the same number of keys, in buckets of its own.
/// 4. Rank these keys by counting.
class Benchmark final {
 public:
  /// Makes this rank's keys, and ranks them once without timing. Throws UsageError.
  Benchmark(const SortOptions& options, spmd::Session& session);

  /// Runs all iterations. Returns the number of keys that this rank received in the last one.
  Index run();

  const ProblemClass& problem() const { return problem_; }
  /// Returns the positions of the keys with which this rank begins each iteration.
  spmd::Part places() const;
  /// Returns the range of the key values that this rank received.
  spmd::Part values() const;
  /// Returns the received keys in order.
  std::vector<Key> sorted() const;
  PartialChecks& checks() { return checks_; }
  /// Returns the number of keys that this rank has put into buckets or ranked.
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
  std::vector<Key> outgoing_;  // own keys by bucket
  std::vector<Count> sizes_;   // of the buckets of own keys
  std::vector<Count> totals_;  // of all ranks' buckets, followed by the values of the test keys
  std::vector<spmd::Part> buckets_of_ranks_;
  std::vector<Key> received_;
  std::size_t received_size_ = 0;
  Ranking ranking_;
  PartialChecks checks_;
  Index handled_ = 0;
};

}  // namespace loadshare::integer_sort
