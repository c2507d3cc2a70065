#pragma once

#include "apps/cannon/options.hpp"

namespace loadshare::cannon {

/// Multiplies as asked: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; a product
/// that verification finds wrong is Error(run_failed), after its record was told.
void run_job(const CannonOptions& options);

}  // namespace loadshare::cannon
