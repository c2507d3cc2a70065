#pragma once

#include "apps/matmul/options.hpp"

namespace loadshare::matmul {

/// Multiplies as asked: makes the farm, loads, runs, verifies, stores, reports. Every rank calls it. Throws
/// Error; a product that verification finds wrong is Error(run_failed), after its record was told.
void run_job(const MatmulOptions& options);

}  // namespace loadshare::matmul
