#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>

#include "profiler/preload/descriptors.hpp"
#include "profiler/timeline.hpp"

namespace loadshare::profile {

/// Tells of the thread that opened it how long it ran and how long it waited for a processor. A reading takes
/// about 1 us.
class ProcessorTime final {
 public:
  void open();
  /// Whether the kernel told all up to the last reading.
  bool tells_stolen() const { return tells_stolen_.load(std::memory_order_relaxed); }
  /// Since the reading before.
  Progress read();
  /// Ditto, and the next reading is since the one before all the same; nothing where the kernel does not
  /// tell. For signal handlers, of any thread.
  std::optional<Progress> peek() const;
  /// What the process's other threads ran for since open(); ditto.
  std::int64_t other_threads_cpu_ns() const;

 private:
  std::optional<std::int64_t> run_delay_ns() const;
  std::int64_t all_others_cpu_ns() const;

  int file_ = -1;
  FileIdentity identity_;
  clockid_t clock_ = CLOCK_THREAD_CPUTIME_ID;  ///< the same for other threads
  std::int64_t others_before_ns_ = 0;
  // Others peek while the thread reads.
  std::atomic<bool> tells_stolen_ = false;
  std::atomic<std::int64_t> ran_ns_ = 0;
  std::atomic<std::int64_t> waited_ns_ = 0;
};

}  // namespace loadshare::profile
