#pragma once

#include <span>
#include <vector>

#include "models/reconstruction/element.hpp"
#include "runtime/profile/profile.hpp"

namespace loadshare::reconstruction {

/// What each rank of a run did, call by call, with what a timing graph has no room for left out: probes and
/// tests in vain, messages to nobody. A non-blocking collective stands where it was completed. Time between
/// two tests in vain is waiting, as long as it is short; other time outside MPI is computing.
///
/// A program may say by MPI_Pcontrol what counts: nothing from level 0 on, all from any other, and nothing
/// before the first where that is above 0.
///
/// Throws UsageError where the profile is not complete, and where nothing of a rank counts
/// or a message is begun where nothing counts and waited for where it does.
std::vector<Trace> traces_of(const profile::Profile& profile);

/// From the first rank's begin to the last one's end, less what does not count in between; 0 of no traces.
double makespan_s(std::span<const Trace> traces);

}  // namespace loadshare::reconstruction
