#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"

namespace loadshare {

/// Variable increase: groups of equal chunks, each group's larger by half of what the last one's was larger.
///
/// Choose it as `fiss`, without knowing how many stages there should be: sizes never reach twice the first.
///
/// Philip and Das, "Evaluation of loop scheduling algorithms on distributed memory systems", IASTED PDCS
/// 1997: the first chunks are N / (X P), the second group's half as large again, the increase halves from
/// group to group; all rounded down.
class Viss final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P, the chunks in a group; >= 1
    Index first = 1;    ///< the first group's chunks; >= 1
  };

  /// Sizes come near 2 `first`, which an Index must hold.
  explicit Viss(Parameters parameters) : parameters_(parameters), increase_(parameters.first) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  Groups groups_;
  Index size_ = 0;
  Index increase_;  // of the next group
};

/// The table's line for `viss[:factor]`.
SchedulerEntry viss_entry();

}  // namespace loadshare
