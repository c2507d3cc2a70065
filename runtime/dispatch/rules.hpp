#pragma once

#include <cstdint>
#include <optional>

#include "base/names.hpp"
#include "base/types.hpp"

namespace loadshare {

/// Give unfinished chunks again, at the tail, to idle workers?
enum class Reissue { off, on };

/// May a chunk be given to another worker while its holder may still compute it?
enum class Copies {
  allowed,  ///< if results land aside and its holder is silent, or late to leave; and by Reissue
  never,    ///< it is given again only when it came back, or when its holder is surely gone
};
/// As on a command line.
inline constexpr Choices<Copies, 2> copies_rules{{{"allowed", Copies::allowed}, {"never", Copies::never}}};

/// Where a chunk's result goes when it is computed.
enum class Landing : std::uint8_t {
  in_place,  ///< to its place in the application's memory: nobody else gets these iterations while this
             ///< worker may still write
  aside,     ///< to memory of its own, and to its place when it is published
};

/// What becomes of a chunk on which a worker failed.
enum class OnFailure {
  end,    ///< the loop ends
  retry,  ///< it is given again, `retries` times; then it is halved until the iteration is known, and the
          ///< loop ends
  skip,   ///< the same, but that iteration is left out, and the loop goes on
};

struct DispatchRules {
  Reissue reissue = Reissue::off;  ///< off if copies are never made
  Copies copies = Copies::allowed;
  Landing landing = Landing::in_place;  ///< aside if Reissue is on
  OnFailure on_failure = OnFailure::end;
  std::uint8_t retries = 1;
  /// Processes that must be lost with one iteration before it can be convicted of ending them (see Faults);
  /// 0: no iteration is ever suspected.
  std::uint8_t crash_limit = 3;
  /// From the second loss on, no worker gets the iterations for so long: processes that are ended together,
  /// within this time, must not be lost with them one after the other.
  double rest_s = 1;
  /// How long the lost processes may take to join again, while other workers are present: then they were only
  /// cut off. No worker gets the iteration meanwhile.
  double verdict_after_s = 10;
  /// A host on which so many chunks failed or processes were lost with theirs, since one was last returned
  /// there, and while others return theirs, is set aside: its workers get no more; 0: never.
  std::uint8_t most_host_faults = 3;
  /// How long iterations may wait with nobody there, before the loop ends; nothing: for ever.
  std::optional<double> patience_s = std::nullopt;
  /// Until so many workers have joined (or `gathering_s` has passed since the first did), each gets one chunk
  /// only: with few chunks, every worker gets one before any gets its second.
  Index workers_expected = 1;
  double gathering_s = 0.1;
  /// Iterations may be added by `Dispatcher::opened`; the loop does not end before `closed`.
  bool may_grow = false;
};

}  // namespace loadshare
