#pragma once

#include "runtime/profile/profile.hpp"

namespace loadshare::profile {

/// Adds to the notes what makes the profile partial; its ranks are sorted.
void note_what_is_missing(Profile& profile);

/// What others did that the program started is not in the profile.
void note_started_others(Profile& profile);

/// So many communicators and windows whose members are not in the profile.
void note_groups_dropped(Profile& profile, std::uint64_t count);

}  // namespace loadshare::profile
