#pragma once

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// Whether a call that waits for a send waits for receives or collectives too, which may be what holds it.
enum class Company : std::uint8_t { sends_alone, others_too };

/// Whether this send does not end before its receive is posted, whatever the transport.
bool is_surely_held(const profile::Event& send);

/// Late sender: who receives waits until the send has begun. `receive` is the call that posted the receive,
/// or the probe.
Wait late_sender(const Matching& matching, EventId receive);

/// Late receiver: a send that is not buffered may wait until its receive is posted, and did where `in`, the
/// send itself or the wait on it, ended only after that. (A short standard send does not wait, and ends
/// before.) In company of others that end tells nothing of a short send: it is not claimed then.
Wait late_receiver(const Matching& matching, EventId send, const profile::Event& in,
                   Company company = Company::sends_alone);

}  // namespace loadshare::waiting
