#pragma once

#include <span>

#include "models/communication/message_sample.hpp"

namespace loadshare::communication {

/// The size in bytes from which on standard sends wait for their receive, where MPI changes from eager to
/// rendezvous: the one that the fewest sizes contradict, in the middle between two measured ones. A size
/// waits if most of its samples posted `after` have. 0 where all wait, infinite where none does. Throws
/// UsageError where there are no such samples.
double waiting_size(std::span<const MessageSample> samples);

}  // namespace loadshare::communication
