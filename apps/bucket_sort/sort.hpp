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

/// Options of `bucket_sort`.
struct SortOptions {
  spmd::Options run;
  Index size = 1'000'000;
  std::string keys = "uniform";
  std::string split = "range";
  spmd::RunPart part = spmd::RunPart::whole;
  Verification verification = Verification::full;
  std::optional<Index> spoil_rank;  ///< for testing: rank whose first key is spoiled before verification
};

/// Mean number of keys in a small bucket.
inline constexpr Index small_bucket = 1024;

/// Sorts `keys` into `out`. Keys first go into small buckets of equal ranges between the least and the
/// greatest key, then std::sort (introsort) sorts each bucket. A small bucket fits the cache, and the work
/// per key does not depend on the number of keys. So one rank does no more work than many ranks together;
/// with a plain sort, n/p keys would take less than a p-th of the time of n.
void sort_into(std::span<const Key> keys, std::span<Key> out);

/// Returns the number of keys for each bucket.
std::vector<Index> bucket_sizes(std::span<const Key> keys, const Splitters& splitters);

/// Copies `keys` to `out`, bucket after bucket. `sizes` is the result of `bucket_sizes`.
void put_into_buckets(std::span<const Key> keys, const Splitters& splitters, const std::vector<Index>& sizes,
                      std::span<Key> out);

/// One rank's part of a parallel bucket sort. A rank puts its keys into one bucket per rank, the ranks
/// exchange buckets, and each rank sorts what it received. With --part whole, rank 0's part of the keys and
/// its sorted bucket are at the beginning of the array of all keys.
class Sort {
 public:
  /// Makes the keys: with --part whole on rank 0, otherwise each rank its own. Throws UsageError.
  Sort(const SortOptions& options, spmd::Session& session);

  /// Returns the number of keys in this rank's bucket.
  Index run();

  const KeySet& keys() const { return keys_; }
  /// Returns the positions of this rank's first keys in the unsorted sequence.
  spmd::Part places() const;
  /// Returns the sorted keys of this rank: its bucket, or with --part whole everything on rank 0 and nothing
  /// on the others.
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
  std::vector<Key> all_;  // on rank 0 with --part whole
  std::vector<Key> own_;  // otherwise
  std::vector<Key> outgoing_;
  std::vector<Key> received_;
  std::vector<Key> bucket_;  // if `all_` is not used
};

}  // namespace loadshare::bucket_sort
