#pragma once

#include <string>

#include "apps/integer_sort/benchmark.hpp"
#include "apps/spmd/sort_check.hpp"

namespace loadshare::integer_sort {

/// The keys at some places as they are after all iterations.
spmd::Fingerprint fingerprint_of(const ProblemClass& problem, spmd::Part places);

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
