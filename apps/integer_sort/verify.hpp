#pragma once

#include <string>

#include "apps/integer_sort/benchmark.hpp"
#include "apps/spmd/sort_check.hpp"

namespace loadshare::integer_sort {

/// Returns the fingerprint of the keys at some positions after all iterations.
spmd::Fingerprint fingerprint_of(const ProblemClass& problem, spmd::Part places);

/// The result of the benchmark's two verifications.
struct Outcome {
  Index passed = 0;     ///< number of passed partial checks
  std::string partial;  ///< error of the partial checks; empty: none
  std::string full;     ///< error of the full verification; empty: none
};

/// Adds up the partial checks and runs the full verification: each rank sorts its keys by their ranks and
/// sends the greatest to the next rank. Collective.
Outcome verify(Benchmark& benchmark, spmd::Exchange& exchange);

}  // namespace loadshare::integer_sort
