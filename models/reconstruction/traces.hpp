#pragma once

#include <vector>

#include "models/reconstruction/element.hpp"
#include "runtime/profile/profile.hpp"

namespace loadshare::reconstruction {

/// What each rank of a run did, call by call, with what a timing graph has no room for left out: probes and
/// tests in vain, messages to nobody. A non-blocking collective stands where it was completed. Time between
/// two tests in vain is waiting, as long as it is short; other time outside MPI is computing.
///
/// Throws UsageError where the profile is not complete.
std::vector<Trace> traces_of(const profile::Profile& profile);

}  // namespace loadshare::reconstruction
