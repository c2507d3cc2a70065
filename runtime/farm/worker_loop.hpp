#pragma once

#include "runtime/farm/account.hpp"
#include "runtime/farm/sampler.hpp"
#include "runtime/farm/workload.hpp"
#include "runtime/timing/clock.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// One worker's part of a run: asks for chunks, computes them, accounts for its time.
class WorkerLoop {
 public:
  WorkerLoop(WorkerEnd& end, Workload& workload) : end_(end), workload_(workload) {}

  /// Serves until the run is over. An exception of the workload is reported to the master as this worker's
  /// failure and ends here.
  Account run();
  bool has_thinned() const { return sampler_.has_thinned(); }

 private:
  std::optional<Task> next();
  void serve(const Task& task);
  void serve_timed(const Task& task);
  void serve_untimed(const Task& task);
  void finish_timed(const Task& task, Stamps stamps, double waited_s);
  void compute(const Task& task, double& waited_s);
  void account_wait(const Task& task, double received_s);
  void account_chunk(const Stamps& stamps, double waited_s);

  WorkerEnd& end_;
  Workload& workload_;
  Sampler sampler_;
  TickScale ticks_;
  Account account_;
  bool was_queued_ = false;   ///< the present chunk was here before it was asked for
  double last_end_s_ = 0;     ///< end of the last timed chunk
  Index untimed_chunks_ = 0;  ///< since then
};

}  // namespace loadshare
