#pragma once

#include <cstdint>
#include <vector>

#include "models/waiting/calls.hpp"
#include "models/waiting/requests.hpp"

namespace loadshare::waiting {

/// A receive, or a probe that found a message, with the envelope that the message really had.
struct Receive {
  enum class Takes : std::uint8_t { message, nothing };  ///< a probe leaves the message where it is

  std::uint32_t posted = EventId::none;  ///< index of the call among its rank's events; none: never
  std::uint32_t probed = EventId::none;  ///< ditto, of the probe that found the message; none: no probe did
  std::uint32_t completed = EventId::none;  ///< ditto; none: never, as far as the profile tells
  std::uint32_t communicator = 0;
  std::int32_t source = -1;
  std::int32_t tag = -1;
  Takes takes = Takes::message;
  bool was_cancelled = false;  ///< or MPI was asked to, at least
};

/// The receives and probes of one rank, in the order in which they take their messages: that in which they
/// were posted, but a matched receive has its place at the MPI_Mprobe or MPI_Improbe that took its message
/// out of the channel. Those that can have no message (from MPI_PROC_NULL) and probes in vain are left out.
std::vector<Receive> receives_of(const profile::RankProfile& rank, const Requests& requests);

}  // namespace loadshare::waiting
