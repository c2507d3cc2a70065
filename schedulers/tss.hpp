#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Trapezoid self-scheduling: each chunk is smaller than the last by T, from f down to the smallest.
///
/// Choose it as a gentler alternative to GSS: the first chunk is only half a fair share, sizes decrease
/// linearly, and a decision costs one subtraction.
///
/// Tzen and Ni, IEEE Trans. Parallel and Distributed Systems 4(1), 1993: with a first chunk f and a last
/// chunk l, N = ceil(2 I / (f + l)) chunks decrease by (f - l) / (N - 1). Piotrowski and Dandamudi, TR-97-14,
/// 1997, section 3.2.3: f = I / (2 S), and the decrement T is a parameter.
class Tss final : public ChunkScheduler {
 public:
  struct Parameters {
    Index first = 1;  ///< f, the size of the first chunk; >= 1
    Index step = 1;   ///< T, decrease from chunk to chunk; >= 0
    Index min = 1;    ///< smallest chunk (Tzen and Ni's l), except the last one; in [1, first]
  };

  explicit Tss(Parameters parameters) : parameters_(parameters), size_(parameters.first) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  Index size_;
};

/// Returns Tzen and Ni's decrement for a loop of `iterations` >= 0 with chunks from `first` down to `last`,
/// in [1, first]. Returns 0 if one chunk takes the whole loop.
Index trapezoid_step(Index iterations, Index first, Index last);

/// Returns the table entry of `tss[:first,step,min,last]`.
SchedulerEntry tss_entry();

}  // namespace loadshare
