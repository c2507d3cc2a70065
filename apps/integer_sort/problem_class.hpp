#pragma once

#include <array>
#include <span>
#include <string>

#include "schedulers/types.hpp"

namespace loadshare::integer_sort {

/// How often the benchmark ranks its keys, in each class.
inline constexpr Index iterations = 10;

/// A key whose rank, the number of lesser keys, is known for each iteration.
struct TestKey {
  Index place = 0;
  Index rank = 0;
  int step = 1;     ///< what an iteration adds to its rank
  Index since = 0;  ///< the iteration with `rank`

  constexpr Index rank_in(Index iteration) const { return rank + step * (iteration - since); }
};

inline constexpr std::size_t test_keys = 5;

/// A size of the problem, as the NAS Parallel Benchmarks define it. Keys are in [0, max_key); both, and the
/// number of buckets, are powers of two.
struct ProblemClass {
  const char* name;
  const char* description;
  Index keys;
  Index max_key;
  Index buckets;
  std::array<TestKey, test_keys> tests;

  /// How many values of keys fall into a bucket.
  constexpr Index bucket_width() const { return max_key / buckets; }
};

/// The classes there are, the smallest first.
std::span<const ProblemClass> problem_classes();

/// The class of that name; throws UsageError, with the valid ones, where there is none.
const ProblemClass& find_class(const std::string& name);

/// Throws UsageError, with the nearest that would do, where the class cannot be shared by so many ranks: by a
/// power of two of them, and no more than there are buckets.
void require_ranks(const ProblemClass& problem, int ranks);

}  // namespace loadshare::integer_sort
