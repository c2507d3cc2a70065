#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "runtime/dispatch/rules.hpp"

namespace loadshare {

/// Names one assignment of a chunk to a worker. Slots are small numbers and used again, so that tables can be
/// kept by slot; the generation tells a slot's present use from earlier ones. Every copy has an id of its
/// own.
struct ChunkId {
  std::uint32_t slot = UINT32_MAX;
  std::uint32_t generation = 0;
  friend constexpr bool operator==(const ChunkId&, const ChunkId&) = default;
};

/// A chunk given to a worker.
struct Assignment {
  ChunkId id = {};
  Chunk chunk = {};
  bool is_copy = false;  ///< another worker has it, too
  Landing landing = Landing::in_place;
  friend constexpr bool operator==(const Assignment&, const Assignment&) = default;
};

/// How a loop ends.
enum class Ending : std::uint8_t {
  open,      ///< it has not ended
  finished,  ///< every iteration is committed
  gaps,      ///< all but those that were skipped
  stranded,  ///< iterations are left and nobody who could compute them
  culprit,   ///< an iteration ended every process that began it
  failed,    ///< a worker failed, and failures end the loop
  drained,   ///< ended early on request; iterations remain
};

/// What is to be done about an event.
struct Decision {
  enum class Kind : std::uint8_t {
    give,       ///< the assignment to `worker`
    publish,    ///< `chunk`, all or a part of the assignment that came back, counts: to its place with it.
                ///< The commit: who keeps a journal or a trace hears here of each iteration exactly once
    discard,    ///< nothing of the result that came back counts
    recall,     ///< ask `worker` for what of the assignment it has not begun
    cancel,     ///< nobody waits for the assignment any more: `worker` may stop computing it
    skip,       ///< `chunk` is left out: it cannot be computed, or (`ending` is culprit) ends its workers
    set_aside,  ///< `worker` gets no more: on its host everything fails at once
    wait,       ///< nobody is there to compute what is left
    end,        ///< the loop is over; `chunk`: where a culprit or a failure is
  };
  Kind kind{};
  Ending ending = Ending::open;
  Landing landing = Landing::in_place;
  bool is_copy = false;
  WorkerId worker{};
  ChunkId id = {};
  Chunk chunk = {};

  Assignment assignment() const { return {id, chunk, is_copy, landing}; }
};

/// In the order in which they are to be carried out.
using Decisions = std::vector<Decision>;

}  // namespace loadshare
