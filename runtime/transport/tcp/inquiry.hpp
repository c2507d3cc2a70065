#pragma once

#include <vector>

#include "runtime/transport/network.hpp"
#include "runtime/transport/tcp/messages.hpp"

namespace loadshare::tcp {

/// Asks the master at `network.join` who is there, and, where the inquiry names one, that it leaves; its
/// version is filled in. The workers, process by process. Throws Error(run_failed) where no master answers
/// within some seconds, UsageError where it refuses or knows nobody of that name.
std::vector<Listing> inquire(const NetworkOptions& network, Inquiry inquiry);

}  // namespace loadshare::tcp
