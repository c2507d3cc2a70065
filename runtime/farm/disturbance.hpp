#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/farm/rank_report.hpp"
#include "runtime/load/load_process.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// The background load of the ranks that live in this process: one rank under MPI; without it the master's
/// thread and the workers' threads. Each loaded rank has a process that burns its processor time, and one
/// processor that both must share.
class Disturbance {
 public:
  /// Starts a process for the rank of this process, which settle() may send home again.
  explicit Disturbance(const LoadSpec& spec);
  /// Starts one for each loaded thread of a run without MPI. Throws UsageError where a rank is not there.
  Disturbance(const LoadSpec& spec, std::size_t workers);

  /// Finds out who is loaded, and where. Throws UsageError where a rank is not there.
  void settle(const Transport& transport, MasterMode master);

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

}  // namespace loadshare
