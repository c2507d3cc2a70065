#pragma once

#include "apps/matvec/options.hpp"

namespace loadshare::matvec {

/// Multiplies as asked: makes the farm and the data, runs, verifies, stores y, reports. Every rank calls it.
/// Throws Error; a product that verification finds wrong is Error(run_failed), after the record was told,
/// and y is not stored then.
void run_job(const MatvecOptions& options);

}  // namespace loadshare::matvec
