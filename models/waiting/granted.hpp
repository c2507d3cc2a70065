#pragma once

#include "runtime/profile/profile.hpp"

namespace loadshare::waiting {

/// Of a rank's time inside MPI the share that nobody stole, from 0 to 1. What was stolen is spread evenly
/// over its calls: the kernel does not tell which of them it met.
double granted_share(const profile::RankProfile& rank);

}  // namespace loadshare::waiting
