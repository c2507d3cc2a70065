#pragma once

#include "apps/floyd/options.hpp"

namespace loadshare::floyd {

/// Finds all paths as asked: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; paths
/// that verification finds wrong are Error(run_failed), after their record was told.
void run_job(const FloydOptions& options);

}  // namespace loadshare::floyd
