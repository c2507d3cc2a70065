#pragma once

#include <cstdint>
#include <vector>

#include "models/waiting/calls.hpp"

namespace loadshare::waiting {

/// What tests in vain were waiting for: what the next test of the same kind and place that is not in vain
/// finds. Nothing where that finds nothing (as MPI_Request_get_status, which completes no request), where
/// none follows, and where the place is not known. Linear in the events.
class Polling {
 public:
  explicit Polling(const profile::Profile& profile);

  /// The test, or probe, that was not in vain any more; none where the profile does not tell.
  EventId success_of(EventId in_vain) const {
    return {in_vain.rank, success_of_[in_vain.rank][in_vain.event]};
  }

 private:
  std::vector<std::vector<std::uint32_t>> success_of_;  ///< by rank and event
};

}  // namespace loadshare::waiting
