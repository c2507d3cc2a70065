#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
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
class BackgroundLoad {
 public:
  /// Starts a process for the rank of this process, which take_place() may send home again.
  explicit BackgroundLoad(const LoadSpec& spec);
  /// Starts one for each loaded thread of a run without MPI. Throws UsageError where a rank is not there.
  BackgroundLoad(const LoadSpec& spec, std::size_t workers);

  /// Finds out who is loaded, and where. Throws UsageError where a rank is not there.
  void take_place(const Transport& transport, MasterMode master);

  const LoadSpec& spec() const { return spec_; }
  /// The processor that a worker's thread has to share, by its number among this process's workers; nothing:
  /// it is not loaded.
  std::optional<int> cpu_of_worker(std::size_t worker) const;
  /// The same for a master that only coordinates.
  std::optional<int> cpu_of_master() const;

  /// All ranks agree on an instant a moment ahead, the same for all, when run and loads begin. Collective.
  void arm(Transport& transport);
  /// For the master, which begins the run: waits for that instant.
  void await_start() const;
  /// Ends them and tells what each did.
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
