#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Adaptive weighted factoring: `wf` whose weights are found out, a worker's by the mean of all its times, of
/// which the later ones count more.
///
/// Choose `awf` where the same loop runs again and again, as in a simulation of time steps: it learns from
/// run to run. Within one run, `awf-b` looks anew at each group of chunks, and `awf-c` at each chunk, when
/// hosts change faster. `awf-d` and `awf-e` are these two with messages and waiting counted, for hosts that
/// differ in how far they are.
///
/// Banicescu, Velusamy and Devaprasad, "On the scalability of dynamic scheduling scientific applications with
/// adaptive weighted factoring", Cluster Computing 6(3), 2003: after k runs worker i's weighted average
/// performance is pi_i = sum(j t_ij) / sum(j n_ij), j = 1 ... k, of times t for n iterations, and its weight
/// in the next run w_i = P (1 / pi_i) / sum(1 / pi). Carino and Banicescu, "Dynamic load balancing with
/// adaptive factoring methods in scientific applications", J. Supercomputing 44(1), 2008: the same with j = 1
/// ... k the worker's chunks of this run, by group (B) and, of what remains at each request, by chunk (C); D
/// and E with the whole time of a chunk. A worker that has returned nothing has weight 1. They round up,
/// after LB4OMP.
class Awf final : public ChunkScheduler {
 public:
  /// When weights follow what was measured.
  enum class Renewal { run, group, chunk };

  struct Parameters {
    Index workers = 1;  ///< P that are expected; >= 1
    Renewal renewal = Renewal::chunk;
    Counted counted = Counted::computing;
    Index min = 1;  ///< smallest chunk, but for the last; >= 1
    Rounding round = Rounding::up;
  };

  /// Of what was learned only Renewal::run takes notice, where it was learned by the like.
  explicit Awf(Parameters parameters, const Learned& learned = {});

  Cut next(const Request& request) override;
  /// Ignores a time that is no positive, finite number.
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId, const WorkerFacts&) override { shares_.joined(); }
  void left(WorkerId worker) override;
  /// Of Renewal::run the rates by pi; else nothing.
  Learned learned() const override;

 private:
  struct Worker {
    Index turn = 0;           // j of its latest chunk; not of Renewal::run
    double seconds = 0;       // sum(j t)
    double iterations = 0;    // sum(j n)
    bool is_waiting = false;  // its new speed is not in force before the next group
  };

  void take_over(const Learned& learned);
  void renew_waiting();
  static double speed_of(const Worker& worker) { return worker.iterations / worker.seconds; }

  Parameters parameters_;
  Groups groups_;
  Shares shares_;
  Index run_ = 1;    // the run's number
  double half_ = 0;  // of what remained when the group began
  std::vector<Worker> workers_;
  std::vector<WorkerId> waiting_;
};

/// The table's lines for `awf`, `awf-b`, `awf-c`, `awf-d` and `awf-e`, all `[:min,round]`.
SchedulerEntry awf_entry();
SchedulerEntry awf_b_entry();
SchedulerEntry awf_c_entry();
SchedulerEntry awf_d_entry();
SchedulerEntry awf_e_entry();

}  // namespace loadshare
