#pragma once

#include "runtime/profile/profile.hpp"

namespace loadshare::profile {

/// Adds to the notes what makes the profile partial; its ranks are sorted.
void note_what_is_missing(Profile& profile);

}  // namespace loadshare::profile
