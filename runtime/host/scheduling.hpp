#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <vector>

#include "runtime/host/processor_set.hpp"

namespace loadshare {

/// Keeps the calling thread on one processor while it lives, then gives it back those it had: the same thread
/// destroys it. Threads started meanwhile inherit the processor. Where the system does not allow that,
/// nothing changes. Without a processor it does nothing.
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

/// For how many seconds at most, since some moment, others may have had the processor that the calling thread
/// wanted: other programs, while it waited for its turn, and a hypervisor, what it took from all processors
/// together. Nothing where the kernel does not tell.
std::optional<double> most_taken_s();
/// What a hypervisor has taken from all processors, by the first line of /proc/stat; 0 where it is not told.
double taken_by_hypervisor_s(std::istream& proc_stat);

/// The processors that the calling thread may run on, however many the machine has; all that are online if
/// the kernel does not say. Never empty.
ProcessorSet allowed_processors();
/// The same, by their numbers, ascending.
std::vector<int> allowed_cpus();
/// Returns their number.
int allowed_cores();

/// Lets the calling thread run on these processors alone. False, with errno set: the system does not allow
/// it.
bool run_on(const ProcessorSet& processors);

/// While it lives, lets its thread run soon after it is woken, also beside a program that holds the core:
/// short sleeps end when they should (by default Linux may add 50 us), and a thread that only ever runs for
/// moments asks the scheduler for short turns, which come sooner (Linux 6.12 and later; elsewhere nothing
/// changes). The thread belongs to the caller, so it gets back what it had: the same thread destroys it.
class PunctualWaking final {
 public:
  PunctualWaking();
  ~PunctualWaking();
  PunctualWaking(const PunctualWaking&) = delete;
  PunctualWaking& operator=(const PunctualWaking&) = delete;

 private:
  unsigned long slack_ns_;
  std::optional<std::uint64_t> turn_ns_;  // nothing: it was not changed
};

}  // namespace loadshare
