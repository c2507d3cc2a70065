#pragma once

#include <map>
#include <string_view>

#include "models/efficiency/waiting/matching.hpp"
#include "models/efficiency/waiting/wait_states.hpp"

namespace loadshare::waiting {

/// How much of a call's time inside MPI beside its `wait` (`wait_of`) may have been waiting, too: all of it
/// where the profile does not tell whether the call waited (a partner's call is missing, what it waits for is
/// not recorded, or a short send did not end when it should have), and else what is unsure of the rest.
std::int64_t untold_ns(const Matching& matching, std::uint32_t rank, const Call& call, const Wait& wait);

/// The same of all ranks' calls, in seconds by the call's name. What others had of the processor meanwhile is
/// not taken out.
std::map<std::string_view, double> untold_s(const Matching& matching);

}  // namespace loadshare::waiting
