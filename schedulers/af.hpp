#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/iteration_spread.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Adaptive factoring: each worker's chunks as large as the mean and the variance of its own iterations'
/// times, and of all others', allow.
///
/// Choose it where both workers and iterations differ and nothing is known of either. `maf` counts what a
/// chunk takes beside computing as time of its iterations, for hosts that differ in how far they are.
///
/// Banicescu and Liu, "Adaptive factoring: a dynamic scheduling method tuned to the rate of weight changes",
/// HPC 2000: worker i gets (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i) of the R iterations that remain,
/// where D = sum(sigma^2 / mu) and T = 1 / sum(1 / mu) over all workers: variances, which some
/// implementations confuse with deviations. `maf`: mAF of LB4OMP (Korndoerfer et al., IEEE Trans. Parallel
/// and Distributed Systems 33(4), 2022). Times come by the chunk, so the variance is that of chunks
/// (IterationSpread), and a worker takes part once it has returned two; before that its chunks are `first`,
/// which the paper leaves open, but no more than a fair share. A worker that is not measured yet counts as
/// average. Where nothing scatters, D = 0, all that remains is dealt out by speed.
class Af final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;  ///< P that are expected; >= 1
    Index first = 1;    ///< a worker's first two chunks; >= 1
    Index min = 1;      ///< smallest chunk, but for the last; >= 1
    Rounding round = Rounding::up;
    Counted counted = Counted::computing;
  };

  explicit Af(Parameters parameters) : parameters_(parameters), crowd_(parameters.workers) {}

  Cut next(const Request& request) override;
  /// Ignores a time that is no positive, finite number.
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId, const WorkerFacts&) override { crowd_.joined(); }
  /// Should it come back, it is measured anew.
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
  double known_ = 0;  // workers that are measured
};

/// The table's lines for `af[:first,min,round]` and `maf[:first,min,round]`.
SchedulerEntry af_entry();
SchedulerEntry maf_entry();

}  // namespace loadshare
