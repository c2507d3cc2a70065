#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/efficiency/waiting/calls.hpp"
#include "models/efficiency/waiting/collectives.hpp"
#include "models/efficiency/waiting/messages.hpp"
#include "models/efficiency/waiting/passive_targets.hpp"
#include "models/efficiency/waiting/progress.hpp"

namespace loadshare::waiting {

/// The epochs of post-start-complete-wait synchronisation: the n-th time an origin starts towards a target on
/// a communicator meets the n-th time that target posts for that origin. Linear in the events.
class Epochs {
 public:
  explicit Epochs(const profile::Profile& profile);

  /// The call by which the last partner came to what this one waits for: of the posts, for MPI_Win_start and
  /// MPI_Win_complete; of the completes, for MPI_Win_wait. None where no partner's call is known.
  EventId latest_partner(EventId call) const;
  /// When that was.
  std::optional<std::int64_t> latest_partner_ns(EventId call) const;

 private:
  /// One MPI_Win_start and its MPI_Win_complete, or one MPI_Win_post and its MPI_Win_wait.
  struct Epoch {
    EventId opened;
    EventId closed;  ///< none where the profile ends before
    EventId latest_partner;
  };

  class Collector;

  const profile::Profile& profile_;
  std::vector<Epoch> epochs_;
  std::vector<std::vector<std::uint32_t>> epoch_of_;  ///< by rank and event
};

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

/// Which standard sends wait for their receive, by their bytes: up to `eager_bytes` none does, and beyond
/// `held_bytes` all do; between the two it is judged by when they ended.
struct SendLimits {
  std::uint64_t eager_bytes = 0;
  std::uint64_t held_bytes = 0;
};

/// Those of a run's transports. Where they were not calibrated: what every transport of Open MPI 4.1 sends
/// at once, and the longest that any of them does (TCP's), as it is delivered.
struct EagerLimits {
  SendLimits one_host{256, 64 << 10};
  SendLimits two_hosts{4096, 64 << 10};
};

/// Which calls of a run belong together, over all ranks: what waiting is judged by, and a timing graph drawn
/// from. The profile must outlive it.
struct Matching {
  explicit Matching(const profile::Profile& of, const EagerLimits& limits = {})
      : profile(of),
        eager(limits),
        ranks(of),
        messages(of),
        collectives(of),
        epochs(of),
        polling(of),
        passive_targets(of),
        unaided(*this) {}

  /// Of messages from the rank at `sender` in the profile to rank `receiver` of MPI_COMM_WORLD.
  const SendLimits& limits_between(std::uint32_t sender, std::int32_t receiver) const;

  const profile::Profile& profile;
  EagerLimits eager;
  Ranks ranks;
  Messages messages;
  Collectives collectives;
  Epochs epochs;
  Polling polling;
  PassiveTargets passive_targets;
  Unaided unaided;  // behind what it looks at
};

}  // namespace loadshare::waiting
