#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Weighted factoring: `fac2` for workers of different speeds. Each chunk is proportional to its worker's
/// weight.
///
/// Choose it if the hosts' speeds are known and constant. If they are unknown, `awf-b` to `awf-e` measure
/// them.
///
/// Hummel, Schmidt, Uma and Wein, "Load-sharing in heterogeneous systems via weighted factoring", SPAA 1996:
/// of a group that begins with R_j remaining iterations, worker i gets w_i R_j / (2 P), where the mean of the
/// weights is 1. Sizes are rounded up, as in LB4OMP (DLS4LB rounds down). Weights may be given in any unit.
/// The mean is taken over the known weights: a worker without a given weight counts as average.
class Wf final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P, the expected number; >= 1
    std::vector<double> weights =
        {};         ///< by worker number, > 0; empty: those of WorkerFacts, as workers join
    Index min = 1;  ///< smallest chunk, except the last; >= 1
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
  double half_ = 0;  // half of the iterations that remained when the group began
};

/// Returns the table entry of `wf[:weights,min,round]`.
SchedulerEntry wf_entry();

}  // namespace loadshare
