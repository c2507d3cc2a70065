#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>

#include "profiler/preload/descriptors.hpp"
#include "profiler/timeline.hpp"

namespace loadshare::profile {

/// Reads how long the thread that opened it ran, and how long it waited for a processor. A reading takes
/// about 1 us.
class ProcessorTime final {
 public:
  void open();
  /// Returns whether all readings so far succeeded.
  bool is_stolen_known() const { return is_stolen_known_.load(std::memory_order_relaxed); }
  /// Returns the times since the previous reading.
  Progress read();
  /// Likewise, but the next reading still starts at the previous one. Returns nothing if the kernel does not
  /// report the times. For signal handlers, in any thread.
  std::optional<Progress> peek() const;
  /// Returns the processor time of the process's other threads since open(). For signal handlers, in any
  /// thread.
  std::int64_t other_threads_cpu_ns() const;

 private:
  std::optional<std::int64_t> run_delay_ns() const;
  std::int64_t all_others_cpu_ns() const;

  int file_ = -1;
  FileIdentity identity_;
  clockid_t clock_ = CLOCK_THREAD_CPUTIME_ID;  ///< the thread's clock, for use in other threads
  std::int64_t others_before_ns_ = 0;
  // Other threads call peek() while this thread reads.
  std::atomic<bool> is_stolen_known_ = false;
  std::atomic<std::int64_t> ran_ns_ = 0;
  std::atomic<std::int64_t> waited_ns_ = 0;
};

}  // namespace loadshare::profile
