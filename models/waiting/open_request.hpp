#pragma once

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// What a wait on requests waited for in which the run ended. It does not tell for which, so it is taken to
/// be for those that were under way and not known to be over, up to when the first one's partner came: from
/// then on data may have moved. Where that is the same of several, the one started last counts; short sends
/// count where there is nothing else, as they hold nobody up.
Wait open_request(const Matching& matching, EventId wait);

}  // namespace loadshare::waiting
