#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Adaptive weighted factoring: `wf` with measured weights. A worker's weight follows the mean of all its
/// times, in which later times count more.
///
/// Choose `awf` if the same loop runs again and again, as in a simulation of time steps: it learns from run
/// to run. Within one run, `awf-b` updates the weights for each group of chunks, and `awf-c` for each chunk,
/// which suits hosts that change faster. `awf-d` and `awf-e` are these two with messages and waiting
/// included, for hosts at different distances from the master.
///
/// Banicescu, Velusamy and Devaprasad, "On the scalability of dynamic scheduling scientific applications with
/// adaptive weighted factoring", Cluster Computing 6(3), 2003: after k runs, worker i's weighted average
/// performance is pi_i = sum(j t_ij) / sum(j n_ij), j = 1 ... k, for times t and n iterations, and its weight
/// in the next run is w_i = P (1 / pi_i) / sum(1 / pi).
///
/// Carino and Banicescu, "Dynamic load balancing with adaptive factoring methods in scientific applications",
/// J. Supercomputing 44(1), 2008: the same with j = 1 ... k the worker's chunks of this run. Variant B
/// updates by group, variant C by chunk and applies the weight to the iterations that remain at each request.
/// D and E use the whole time of a chunk. A worker that has returned nothing has weight 1. Sizes are rounded
/// up, as in LB4OMP.
class Awf final : public ChunkScheduler {
 public:
  /// When weights are updated from measurements.
  enum class Renewal { run, group, chunk };

  struct Parameters {
    Index workers = 1;  ///< P, the expected number; >= 1
    Renewal renewal = Renewal::chunk;
    Counted counted = Counted::computing;
    Index min = 1;  ///< smallest chunk, except the last; >= 1
    Rounding round = Rounding::up;
  };

  /// Only Renewal::run uses `learned`, and only if the same technique learned it.
  explicit Awf(Parameters parameters, const Learned& learned = {});

  Cut next(const Request& request) override;
  /// Ignores a time that is not positive and finite.
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId, const WorkerFacts&) override { shares_.joined(); }
  void left(WorkerId worker) override;
  /// Returns the rates by pi for Renewal::run, otherwise nothing.
  Learned learned() const override;

 private:
  struct Worker {
    Index turn = 0;           // j of its latest chunk; unused with Renewal::run
    double seconds = 0;       // sum(j t)
    double iterations = 0;    // sum(j n)
    bool is_waiting = false;  // its new speed takes effect with the next group
  };

  void take_over(const Learned& learned);
  void renew_waiting();
  static double speed_of(const Worker& worker) { return worker.iterations / worker.seconds; }

  Parameters parameters_;
  Groups groups_;
  Shares shares_;
  Index run_ = 1;    // number of the run
  double half_ = 0;  // half of the iterations that remained when the group began
  std::vector<Worker> workers_;
  std::vector<WorkerId> waiting_;
};

/// Return the table entries of `awf`, `awf-b`, `awf-c`, `awf-d` and `awf-e`, all `[:min,round]`.
SchedulerEntry awf_entry();
SchedulerEntry awf_b_entry();
SchedulerEntry awf_c_entry();
SchedulerEntry awf_d_entry();
SchedulerEntry awf_e_entry();

}  // namespace loadshare
