#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"

namespace loadshare {

/// Trapezoid factoring: TSS in groups. Each chunk of a group is the mean of the chunks that TSS would give.
///
/// Choose it as a compromise of `tss` and `fac2`: sizes decrease linearly, but all workers get one of each
/// size.
///
/// Chronopoulos, Andonie, Benche and Grosu, "A class of loop self-scheduling for heterogeneous clusters",
/// IEEE Cluster 2001: a chunk of a group is the sum of TSS's next P chunks over P. These form an arithmetic
/// progression, so that is the mean of the first and the last of them. If the trapezoid ends within a group,
/// the last one is the smallest chunk. Sizes are rounded down.
class Tfss final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P, the chunks in a group; >= 1
    Index first = 1;    ///< the trapezoid's first chunk; >= 1
    Index step = 0;     ///< decrease from chunk to chunk of TSS; >= 0
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

/// Returns the table entry of `tfss[:first,last,round]`.
SchedulerEntry tfss_entry();

}  // namespace loadshare
