#pragma once

#include "apps/bucket_sort/options.hpp"

namespace loadshare::bucket_sort {

/// Sorts as asked: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; a result that
/// verification finds wrong is Error(run_failed), after its record was told.
void run_job(const SortOptions& options);

}  // namespace loadshare::bucket_sort
