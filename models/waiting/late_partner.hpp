#pragma once

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// Late sender: who receives waits until the send has begun. `receive` is the call that posted the receive,
/// or the probe.
Wait late_sender(const Matching& matching, EventId receive);

/// Late receiver: a send that is not buffered may wait until its receive is posted, and did where `in`, the
/// send itself or the wait on it, ended only after that. (A short standard send does not wait, and ends
/// before.)
Wait late_receiver(const Matching& matching, EventId send, const profile::Event& in);

}  // namespace loadshare::waiting
