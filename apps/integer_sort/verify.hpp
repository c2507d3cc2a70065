#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/integer_sort/benchmark.hpp"
#include "apps/spmd/fingerprint.hpp"

namespace loadshare::integer_sort {

/// One rank's keys after the last iteration, as the others need to know them.
struct Summary {
  spmd::Fingerprint before;  ///< of the keys at this rank's places, made once more
  spmd::Fingerprint after;   ///< of those it got
  bool is_sorted = true;
  bool follows = true;  ///< none of them is less than the greatest of the rank before
};

/// The keys at some places as they are after all iterations.
spmd::Fingerprint fingerprint_of(const ProblemClass& problem, spmd::Part places);

/// What is wrong with the keys of all ranks, by rank; empty where nothing is.
std::string what_is_wrong(const std::vector<Summary>& ranks);

/// What came of the benchmark's two verifications.
struct Outcome {
  Index passed = 0;     ///< of the partial checks
  std::string partial;  ///< what they found wrong; empty: nothing
  std::string full;     ///< ditto, the full verification
};

/// Adds up the partial checks and does the full verification: each rank puts its keys in order by their ranks
/// and sends the greatest to the next one. Collective.
Outcome verify(Benchmark& benchmark, spmd::Exchange& exchange);

}  // namespace loadshare::integer_sort
