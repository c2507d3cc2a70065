#pragma once

#include <vector>

#include "runtime/transport/mpi/group.hpp"

namespace loadshare::tool {

/// Of these ranks of the world alone, in this order: the others have no part in making it.
mpi::Communicator communicator_of(const std::vector<int>& ranks);

}  // namespace loadshare::tool
