#pragma once

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// Whether the run ended while the rank was in this call.
bool is_open(const profile::Profile& profile, EventId call);

/// What such a call waited for, where `told` is what a call that had ended would have: a partner that never
/// came kept it to the end. Nothing where it may have moved data.
Wait open_wait(const Matching& matching, EventId call, const Wait& told);

}  // namespace loadshare::waiting
