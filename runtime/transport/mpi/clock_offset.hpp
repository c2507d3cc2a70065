#pragma once

#include <mpi.h>

#include "runtime/transport/mpi/group.hpp"

namespace loadshare::mpi {

/// Seconds by which this rank's host clock is ahead of the master's, from the quickest of a few round trips
/// (Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989); 0 on the master's host.
/// Good to half that round trip. Collective.
double measure_clock_offset_s(const Group& group);

/// The same among the members of a communicator, so many of whom ask its `master` for the time. Collective
/// over these and the master; on the master 0.
double measure_clock_offset_s(MPI_Comm comm, int master, int askers);

}  // namespace loadshare::mpi
