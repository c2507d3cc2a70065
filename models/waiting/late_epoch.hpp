#pragma once

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// MPI_Win_start waits until its targets have posted, or leaves that to MPI_Win_complete; MPI_Win_wait waits
/// until every origin has completed.
Wait late_epoch(const Matching& matching, EventId call);

}  // namespace loadshare::waiting
