#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Weighted factoring: `fac2` for workers of different speeds, each chunk in proportion to its worker's
/// weight.
///
/// Choose it where the hosts' speeds are known and stay as they are; where they are not, `awf-b` to `awf-e`
/// find them out.
///
/// Hummel, Schmidt, Uma and Wein, "Load-sharing in heterogeneous systems via weighted factoring", SPAA 1996:
/// of a group that begins with R_j iterations left, worker i gets w_i R_j / (2 P), where the mean of the
/// weights is 1; up, as in LB4OMP (DLS4LB rounds down). Weights may be given in any unit. The mean is that of
/// the weights known: a worker beyond those that were given counts as average.
class Wf final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;                 ///< P that are expected; >= 1
    std::vector<double> weights = {};  ///< by worker number, > 0; none: as workers join, of WorkerFacts
    Index min = 1;                     ///< smallest chunk, but for the last; >= 1
    Rounding round = Rounding::up;
  };

  explicit Wf(Parameters parameters);

  Cut next(const Request& request) override;
  void joined(WorkerId worker, const WorkerFacts& facts) override;
  void left(WorkerId worker) override { shares_.left(worker); }

 private:
  Parameters parameters_;
  Groups groups_;
  Shares shares_;
  double half_ = 0;  // of what remained when the group began
};

/// The table's line for `wf[:weights,min,round]`.
SchedulerEntry wf_entry();

}  // namespace loadshare
