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

/// What `integer_sort` is asked to do.
struct SortOptions {
  spmd::Options run;
  std::string problem = "S";  ///< the class
  Verification verification = Verification::full;
  std::optional<Index> spoiled_iteration;  ///< for testing: before which one to spoil the first key
};

/// The benchmark's partial verification: whether the test keys had the ranks that are known, in each
/// iteration. Every rank checks those it holds; the sum over all ranks tells.
class PartialChecks final {
 public:
  static constexpr Index count = iterations * static_cast<Index>(test_keys);

  /// Looks at the test keys, `keys[i]` being the i-th one's value, after an iteration, 1 being the first.
  void check(const ProblemClass& problem, Index iteration, std::span<const Count> keys,
             const Ranking& ranking);

  /// To be summed over all ranks: 1 where a check passed, by iteration, then by test key.
  std::span<Index> marks() { return marks_; }

  Index passed() const;
  /// "3 of 50 partial checks failed, the first that of test key 2 in iteration 10"; empty where none did.
  std::string what_is_wrong() const;

 private:
  std::array<Index, static_cast<std::size_t>(count)> marks_{};
};

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
