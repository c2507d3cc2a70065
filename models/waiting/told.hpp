#pragma once

#include <cstdint>

#include "runtime/profile/profile.hpp"

namespace loadshare::waiting {

/// Whether all calls of this rank of MPI_COMM_WORLD are in the profile: one that is not there was never made.
bool is_told(const profile::Profile& profile, std::int32_t rank);

/// Whether those of all members of a communicator are; not where its members are not known.
bool are_told(const profile::Profile& profile, std::uint32_t communicator);

}  // namespace loadshare::waiting
