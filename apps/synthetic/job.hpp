#pragma once

#include "apps/synthetic/options.hpp"

namespace loadshare::synthetic {

/// Runs the loop as asked: makes the farm and the data, runs, verifies, reports. Every rank calls it. Throws
/// Error; results that verification finds wrong are Error(run_failed), after the record was told.
void run_job(const SyntheticOptions& options);

}  // namespace loadshare::synthetic
