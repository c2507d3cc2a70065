#pragma once

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// What a call waited for in which the run ended (`is_open`), where `told` is what it would have if it had
/// ended: a partner that never came kept it to the end, if the profile tells all that this partner did.
/// Nothing where it may have moved data.
Wait open_wait(const Matching& matching, EventId call, const Wait& told);

}  // namespace loadshare::waiting
