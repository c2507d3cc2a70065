#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <vector>

#include "runtime/host/processor_set.hpp"

namespace loadshare {

/// Keeps the calling thread on one processor while it lives, and restores the thread's earlier processors
/// afterwards. Threads started meanwhile inherit the processor. If the system refuses, or without a
/// processor, it does nothing. The same thread destroys it.
class PinnedThread final {
 public:
  explicit PinnedThread(std::optional<int> cpu);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

  bool is_pinned() const { return is_pinned_; }

 private:
  std::optional<ProcessorSet> before_;
  bool is_pinned_ = false;
};

/// Returns an upper bound of the time, since some fixed moment, in which others had the processor that the
/// calling thread needed. These are other programs, and a hypervisor, whose time is that of all processors
/// together. Returns nothing if the kernel does not report it.
std::optional<double> most_taken_s();
/// Returns the time that a hypervisor has taken from all processors, from the first line of /proc/stat; 0 if
/// it is not reported.
double taken_by_hypervisor_s(std::istream& proc_stat);

/// Returns the processors that the calling thread may run on; all online ones if the kernel does not report
/// them. Never empty.
ProcessorSet allowed_processors();
/// Returns their numbers, ascending.
std::vector<int> allowed_cpus();
/// Returns their number.
int allowed_cores();

/// Restricts the calling thread to these processors. Returns false, with errno set, if the system refuses.
bool run_on(const ProcessorSet& processors);

/// Makes its thread run soon after it is woken, even if another program is using the core.
/// - Short sleeps end on time; by default Linux may add 50 us.
/// - A thread that only runs for moments requests short turns, which come sooner. This needs Linux 6.12;
///   older kernels ignore it.
///
/// The thread's earlier settings return when it is destroyed, which the same thread must do.
class PunctualWaking final {
 public:
  PunctualWaking();
  ~PunctualWaking();
  PunctualWaking(const PunctualWaking&) = delete;
  PunctualWaking& operator=(const PunctualWaking&) = delete;

 private:
  unsigned long slack_ns_;
  std::optional<std::uint64_t> turn_ns_;  // nothing: unchanged
};

}  // namespace loadshare
