#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/waiting/calls.hpp"

namespace loadshare::waiting {

/// The epochs of post-start-complete-wait synchronisation: the n-th time an origin starts towards a target on
/// a communicator meets the n-th time that target posts for that origin. Linear in the events.
class Epochs {
 public:
  explicit Epochs(const profile::Profile& profile);

  /// When the last partner came to what this call waits for: the posts, for MPI_Win_start and
  /// MPI_Win_complete; the completes, for MPI_Win_wait. Nothing where no partner's call is known.
  std::optional<std::int64_t> latest_partner_ns(EventId call) const;

 private:
  /// One MPI_Win_start and its MPI_Win_complete, or one MPI_Win_post and its MPI_Win_wait.
  struct Epoch {
    std::int64_t opened_ns = 0;
    std::optional<std::int64_t> closed_ns;  ///< when the call that closes it began
    std::optional<std::int64_t> latest_partner_ns;
  };

  class Collector;

  std::vector<Epoch> epochs_;
  std::vector<std::vector<std::uint32_t>> epoch_of_;  ///< by rank and event
};

}  // namespace loadshare::waiting
