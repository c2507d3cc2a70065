#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "runtime/farm/job.hpp"
#include "runtime/farm/options.hpp"
#include "runtime/farm/workload.hpp"
#include "runtime/records/records.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// A master and its workers: threads of this process, or, under mpirun or srun, MPI ranks. The one entry
/// point of the runtime. Every rank makes one, with the same options, and has it run the same jobs; on the
/// master that does the work, elsewhere it takes part in it.
class Farm {
 public:
  /// Throws UsageError on options that make no sense (an unknown scheduler, a master rank that is not there).
  explicit Farm(FarmOptions options, SchedulerTable schedulers = built_in_schedulers());
  ~Farm();
  Farm(Farm&&) noexcept;
  Farm& operator=(Farm&&) = delete;

  bool is_master() const;
  Index workers() const;
  const FarmOptions& options() const;

  /// Zeroed memory for `count` values on the master's host, seen by all ranks there: for inputs and results
  /// that workers of that host should use in place. Empty on other hosts. Lives as long as the farm. Every
  /// rank takes the same, in the same order: in Job::make, or before it runs a workload of its own making.
  template <class T>
  std::span<T> resident(std::size_t count) {
    return typed<T>(resident_bytes(count * sizeof(T)));
  }
  /// Zeroed memory for `count` values, one copy on every host: for the shared input.
  template <class T>
  std::span<T> replicated(std::size_t count) {
    return typed<T>(replicated_bytes(count * sizeof(T)));
  }

  /// Takes every rank through a job: the master describes it, all make their workload from that and run it,
  /// and the master finishes it. Returns and throws as below; besides, Error(usage) where ranks run different
  /// programs.
  RunRecord run(Job& job, const RunControls& controls = {});
  /// Computes all iterations of the workload, each exactly once, and returns what there is to tell of it
  /// (on the master; elsewhere an empty record); `app`, `verified`, `operations` and `seed` of the record are
  /// for the caller to fill in. Where the same class of workload, with as many iterations and bytes, has run
  /// in this farm before, the scheduler begins with what it learned then. Throws Error when a worker failed
  /// (run_failed), the run was interrupted, or no worker is left; on every rank. Error(usage) ends all ranks
  /// where one of them has another loop than the master.
  RunRecord run(Workload& workload, const RunControls& controls = {});

 private:
  template <class T>
  static std::span<T> typed(std::span<std::byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  std::span<std::byte> resident_bytes(std::size_t bytes);
  std::span<std::byte> replicated_bytes(std::size_t bytes);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loadshare
