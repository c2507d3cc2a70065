#pragma once

#include <map>
#include <string_view>

#include "models/efficiency/waiting/matching.hpp"
#include "models/efficiency/waiting/wait_states.hpp"

namespace loadshare::waiting {

/// How much of a call's time inside MPI, without its `wait` (`wait_of`) and what was stolen beside that, may
/// have been waiting, too: all of it where the profile does not tell whether the call waited (a partner's
/// call is missing, what it waits for is not recorded, or a short send did not end when it should have), and
/// else the share that is unsure.
std::int64_t untold_ns(const Matching& matching, std::uint32_t rank, const Call& call, const Wait& wait);

/// The same of all ranks' calls, in seconds by the call's name.
std::map<std::string_view, double> untold_s(const Matching& matching);

}  // namespace loadshare::waiting
