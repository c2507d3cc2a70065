#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"

namespace loadshare {

/// Variable increase: groups of equal chunks. The size increases from group to group, by half as much each
/// time.
///
/// Choose it instead of `fiss` if the number of stages is unknown: sizes never reach twice the first.
///
/// Philip and Das, "Evaluation of loop scheduling algorithms on distributed memory systems", IASTED PDCS
/// 1997: the first chunks are N / (X P), the chunks of the second group are larger by half of that, and the
/// increase halves from group to group; all rounded down.
class Viss final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P, the chunks in a group; >= 1
    Index first = 1;    ///< size of the first group's chunks; >= 1
  };

  /// Sizes approach 2 `first`, which must fit an Index.
  explicit Viss(Parameters parameters) : parameters_(parameters), increase_(parameters.first) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  Groups groups_;
  Index size_ = 0;
  Index increase_;  // for the next group
};

/// Returns the table entry of `viss[:factor]`.
SchedulerEntry viss_entry();

}  // namespace loadshare
