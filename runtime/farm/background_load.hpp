#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/farm/rank_report.hpp"
#include "runtime/load/load_plan.hpp"
#include "runtime/load/load_process.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/records/records.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// The background load of the ranks that live in this process: one rank under MPI; without it the master's
/// thread and the workers' threads. Each loaded rank has a process that burns its processor time, and one
/// processor that both must share.
///
/// Used by the thread that made it, which outlives it: the kernel ends the processes with that thread.
class BackgroundLoad {
 public:
  /// Of one rank under MPI: starts its process, which place() ends where the rank has no load. To be made
  /// before MPI is up and before there are threads. It throws nothing: what fails, place() tells.
  explicit BackgroundLoad(std::string_view spec);
  /// Of a run without MPI: starts a process for each loaded thread. Throws UsageError where the spec makes no
  /// sense or a rank is not there, Error(run_failed) where a process cannot be started.
  BackgroundLoad(std::string_view spec, std::size_t workers);

  /// Decides whether this process's rank is loaded, and on which processor, once the ranks are known. Without
  /// MPI all is decided already. Collective. Throws AgreedError on every rank where a load could not be made
  /// ready on one, naming that one and its host; UsageError where a rank is not there.
  void place(Transport& transport, MasterMode master);

  const LoadSpec& spec() const { return spec_; }
  /// The processor that a worker's thread has to share, by its number among this process's workers; nothing:
  /// it is not loaded.
  std::optional<int> cpu_of_worker(std::size_t worker) const;
  /// The same for a master that only coordinates.
  std::optional<int> cpu_of_master() const;

  /// All ranks agree on an instant a moment ahead, the same for all, when run and loads begin: 2 ms, 20 ms
  /// with several ranks. Collective.
  void arm(Transport& transport);
  /// For the master, which begins the run: waits for that instant.
  void await_start() const;
  /// Ends them and tells what each did; waits some seconds at most for one that does not answer.
  std::vector<LoadReport> stop();

 private:
  struct Loaded {
    int rank;
    std::optional<std::size_t> worker;  // nothing: a master that only coordinates
    std::unique_ptr<LoadProcess> process;
    LoadPlace place;
  };
  std::optional<int> cpu_of(std::optional<std::size_t> worker) const;

  LoadSpec spec_;
  std::string failure_;    // of this rank under MPI, as outcome_of has it
  std::vector<int> cpus_;  // that this process may use
  std::deque<Loaded> loaded_;
  double zero_s_ = 0;  // on this host's clock
};

/// The share of the processor that a worker really got while the load was on, from its chunks, in the order
/// in which it computed them (others' are passed over). `capacity`: what it has of a processor when nobody
/// disturbs it. A chunk that took w seconds, o of them under load, and c of processor time, got
/// c = f (w - o) + s o: so the share is s = (sum(c) - f sum(w - o)) / sum(o) over all chunks with some load,
/// which holds the mean over the shares of a trace. What it gets without the load, f, is told by the chunks
/// that had none (other programs may take something all the time), or it is the capacity, where they took
/// less than 50 ms together. Nothing where there was less than that under load.
///
/// Under a control group's limit a worker is held up between its chunks as well as inside: there, a chunk
/// counts until the next one begins, and the share is of f.
std::optional<double> worker_share(const LoadPlan& plan, double capacity, WorkerId worker,
                                   std::span<const ChunkRecord> chunks);

/// What computing takes: a worker that only waits (asleep, for a device) has no share of a processor.
enum class WorkerNeeds { processor, nothing };

/// Adds to a record, complete but for that, what the loads did to the run: from what they measured
/// themselves, and, for what the workers really got, from the chunks. A note tells where that is not what was
/// asked for. What the workers got is measured only where they wanted the processor.
void add_load(RunRecord& record, const LoadSpec& spec, const std::vector<RankReport>& reports,
              WorkerNeeds needs = WorkerNeeds::processor);

}  // namespace loadshare
