#pragma once

#include "apps/integer_sort/options.hpp"

namespace loadshare::integer_sort {

/// Runs the benchmark as asked: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; ranks
/// that verification finds wrong are Error(run_failed), after the record was told.
void run_job(const SortOptions& options);

}  // namespace loadshare::integer_sort
