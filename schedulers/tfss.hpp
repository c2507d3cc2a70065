#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"

namespace loadshare {

/// Trapezoid factoring: TSS in groups, every worker's chunk the mean of those that TSS would give.
///
/// Choose it between `tss` and `fac2`: sizes fall in a straight line, but all workers get one of each size.
///
/// Chronopoulos, Andonie, Benche and Grosu, "A class of loop self-scheduling for heterogeneous clusters",
/// IEEE Cluster 2001: the chunk of a group is the sum of TSS's next P chunks over P. They are in arithmetic
/// progression, so that is the mean of the first and the last of them; where the trapezoid ends within a
/// group, of what is left of it and the smallest. They round down.
class Tfss final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P, the chunks in a group; >= 1
    Index first = 1;    ///< of the trapezoid; >= 1
    Index step = 0;     ///< what each chunk of TSS is smaller than the last; >= 0
    Index min = 1;      ///< the trapezoid's last chunk, in [1, first]
    Rounding round = Rounding::down;
  };

  explicit Tfss(Parameters parameters) : parameters_(parameters), front_(parameters.first) {}

  Cut next(const Request& request) override;

 private:
  Index after(Index chunks) const;

  Parameters parameters_;
  Groups groups_;
  Index front_;  // TSS's next chunk
  Index size_ = 1;
};

/// The table's line for `tfss[:first,last,round]`.
SchedulerEntry tfss_entry();

}  // namespace loadshare
