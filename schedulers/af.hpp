#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/iteration_spread.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Adaptive factoring: sizes each worker's chunks by the mean and the variance of the iteration times, its
/// own and those of all others.
///
/// Choose it if both workers and iterations differ and nothing is known about either. `maf` counts all of a
/// chunk's response time as time of its iterations, for hosts at different distances from the master.
///
/// Banicescu and Liu, "Adaptive factoring: a dynamic scheduling method tuned to the rate of weight changes",
/// HPC 2000: worker i gets (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i) of the R remaining iterations, with D
/// = sum(sigma^2 / mu) and T = 1 / sum(1 / mu) over all workers. (sigma^2 is the variance; some
/// implementations use the deviation instead.) `maf` is mAF of LB4OMP (Korndoerfer et al., IEEE Trans.
/// Parallel and Distributed Systems 33(4), 2022).
///
/// Times are known per chunk, so the variance is estimated from chunks (IterationSpread). A worker takes part
/// once it has returned two chunks. Before that its chunks are `first`, which the paper leaves open, but at
/// most a fair share. A worker without measurements counts as average. Without variance (D = 0), all
/// remaining iterations are given out in proportion to speed.
class Af final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P, the expected number; >= 1
    Index first = 1;    ///< a worker's first two chunks; >= 1
    Index min = 1;      ///< smallest chunk, except the last; >= 1
    Rounding round = Rounding::up;
    Counted counted = Counted::computing;
  };

  explicit Af(Parameters parameters) : parameters_(parameters), crowd_(parameters.workers) {}

  Cut next(const Request& request) override;
  /// Ignores a time that is not positive and finite.
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId, const WorkerFacts&) override { crowd_.joined(); }
  /// Forgets the worker's measurements; if it comes back, it is measured again.
  void left(WorkerId worker) override;

 private:
  struct Worker {
    IterationSpread spread;
    double speed = 0;  // 1 / mu; 0: not measured yet
    double noise = 0;  // sigma^2 / mu
  };

  void set(Worker& worker, double speed, double noise);
  Index first_size(Index remaining) const;

  Parameters parameters_;
  Crowd crowd_;
  std::vector<Worker> workers_;
  RunningSum speeds_;
  RunningSum noises_;
  double known_ = 0;  // number of measured workers
};

/// Return the table entries of `af[:first,min,round]` and `maf[:first,min,round]`.
SchedulerEntry af_entry();
SchedulerEntry maf_entry();

}  // namespace loadshare
