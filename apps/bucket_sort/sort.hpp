#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bucket_sort/splitters.hpp"
#include "apps/spmd/command_line.hpp"
#include "apps/spmd/parts.hpp"
#include "apps/spmd/session.hpp"

namespace loadshare::bucket_sort {

enum class Verification { none, full };

/// What `bucket_sort` is asked to do.
struct SortOptions {
  spmd::Options run;
  Index size = 1'000'000;
  std::string keys = "uniform";
  std::string split = "range";
  spmd::RunPart part = spmd::RunPart::whole;
  Verification verification = Verification::full;
  std::optional<Index> spoil_rank;  ///< for testing: whose first key to spoil before verifying
};

/// Keys in a small bucket, on the average.
inline constexpr Index small_bucket = 1024;

/// Puts `keys` into `out`, sorted: first into small buckets of one length of the range from the least to the
/// greatest, then each by std::sort (introsort). All keys of a small bucket fit the cache, and the work for a
/// key does not depend on how many there are: a rank alone does no more than many ranks together, which would
/// else sort n/p keys faster than a p-th of n.
void sort_into(std::span<const Key> keys, std::span<Key> out);

/// How many of `keys` belong into each bucket.
std::vector<Index> bucket_sizes(std::span<const Key> keys, const Splitters& splitters);

/// Copies `keys` to `out`, bucket after bucket; `sizes` is what `bucket_sizes` said.
void put_into_buckets(std::span<const Key> keys, const Splitters& splitters, const std::vector<Index>& sizes,
                      std::span<Key> out);

/// A parallel bucket sort, this rank's part in it: its keys are put into a bucket for each rank, the buckets
/// change places, and each rank sorts what it got. Where the whole is run, rank 0's part of the keys and its
/// sorted bucket lie in the array of all keys, which begins with them.
class Sort {
 public:
  /// Makes the keys: on rank 0 where the whole is run, else each rank its own. Throws UsageError.
  Sort(const SortOptions& options, spmd::Session& session);

  /// Returns how many keys fell into this rank's bucket.
  Index run();

  const KeySet& keys() const { return keys_; }
  /// The places of the unsorted keys that this rank begins with.
  spmd::Part places() const;
  /// What is sorted now: where the whole was run, everything is on rank 0 and nothing elsewhere; else every
  /// rank has its bucket.
  std::span<Key> result() { return is_whole() ? std::span(all_) : bucket(); }

 private:
  bool is_whole() const { return options_.part == spmd::RunPart::whole; }
  bool has_all() const { return is_whole() && session_.is_first(); }
  std::span<Key> own() {
    return std::span(has_all() ? all_ : own_).first(static_cast<std::size_t>(places().size));
  }
  std::span<Key> bucket() { return has_all() ? std::span(all_).first(received_.size()) : std::span(bucket_); }
  void deal_out();
  void exchange_buckets(const Splitters& splitters);
  void sort_bucket();
  void collect();

  const SortOptions& options_;
  spmd::Session& session_;
  const SplitInfo& split_;
  KeySet keys_;
  std::vector<Key> all_;  // on rank 0, where the whole is run
  std::vector<Key> own_;  // elsewhere
  std::vector<Key> outgoing_;
  std::vector<Key> received_;
  std::vector<Key> bucket_;  // where there is no `all_`
};

}  // namespace loadshare::bucket_sort
