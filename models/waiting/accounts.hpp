#pragma once

#include "models/granularity/times.hpp"
#include "models/waiting/wait_states.hpp"
#include "runtime/profile/profile.hpp"

namespace loadshare::waiting {

/// Where the time of all ranks went, from their profile.
///
/// The run lasts from the first rank's begin to the last one's end, and a rank that begins late or is in
/// MPI_Finalize early is idle meanwhile. Outside MPI a rank computes, but for what the kernel says was stolen
/// or slept away (idle). Inside MPI it is idle while its partner has not begun (`wait_of`), and communicates
/// the rest of the time: also where the partner's call is not known. Of what was stolen inside MPI the share
/// of that rest is stolen; who waits loses nothing by it. Nothing is extrapolated; `notes` names what the
/// profile does not tell, so a result with notes is partial.
granularity::RunTimes account(const profile::Profile& profile);

/// The same, for who has matched the calls already.
granularity::RunTimes account(const Matching& matching);

}  // namespace loadshare::waiting
