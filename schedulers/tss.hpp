#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Trapezoid self-scheduling: each chunk is T smaller than the last, from f down to the smallest.
///
/// Choose it as GSS's gentler sibling: the first chunk is only half a fair share, the sizes fall in a
/// straight line, and a decision costs one subtraction.
///
/// Tzen and Ni, IEEE Trans. Parallel and Distributed Systems 4(1), 1993: with a first chunk f and a last
/// chunk l, N = ceil(2 I / (f + l)) chunks fall by (f - l) / (N - 1). Piotrowski and Dandamudi, TR-97-14,
/// 1997, section 3.2.3: f = I / (2 S), and the decrement T is chosen.
class Tss final : public ChunkScheduler {
 public:
  struct Parameters {
    Index first = 1;  ///< f, the size of the first chunk; >= 1
    Index step = 1;   ///< T, what each chunk is smaller than the last; >= 0
    Index min = 1;    ///< smallest chunk (Tzen and Ni's l), but for the last one clipped; in [1, first]
  };

  explicit Tss(Parameters parameters) : parameters_(parameters), size_(parameters.first) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  Index size_;
};

/// Tzen and Ni's decrement for a loop of `iterations` >= 0 with chunks from `first` down to `last`, in
/// [1, first]; 0 where one chunk holds the whole loop.
Index trapezoid_step(Index iterations, Index first, Index last);

/// The table's line for `tss[:first,step,min,last]`.
SchedulerEntry tss_entry();

}  // namespace loadshare
