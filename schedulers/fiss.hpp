#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"

namespace loadshare {

/// Fixed increase: groups of equal chunks. The size increases by a constant step from group to group, in a
/// given number of stages.
///
/// Choose it if starting is expensive, for example because workers read their input one after the other:
/// small first chunks stagger them. The disadvantage is that the last chunks are few and large.
///
/// Philip and Das, "Evaluation of loop scheduling algorithms on distributed memory systems", IASTED PDCS
/// 1997: with B stages and X = B + 2 the first chunks are N / (X P), and each stage adds 2 N (1 - B / X) / (P
/// B (B - 1)), both rounded down. Iterations that remain because of the rounding are given out in chunks of
/// the last stage's size.
class Fiss final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;   ///< P, the chunks in a stage; >= 1
    Index stages = 2;    ///< B; >= 2
    Index first = 1;     ///< size of the first stage's chunks; >= 1
    Index increase = 0;  ///< from stage to stage; >= 0
  };

  explicit Fiss(Parameters parameters)
      : parameters_(parameters),
        stages_left_(parameters.stages),
        size_(parameters.first - parameters.increase) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  Groups groups_;
  Index stages_left_;  // stages that have not begun
  Index size_;
};

/// Returns the table entry of `fiss[:stages]`.
SchedulerEntry fiss_entry();

}  // namespace loadshare
