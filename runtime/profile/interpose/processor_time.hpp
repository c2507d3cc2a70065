#pragma once

#include <cstdint>
#include <ctime>

#include "runtime/profile/interpose/descriptors.hpp"
#include "runtime/profile/settlement.hpp"

namespace loadshare::profile {

/// Tells of the thread that opened it how long it ran and how long it waited for a processor. A reading takes
/// about 1 us.
class ProcessorTime final {
 public:
  void open();
  /// Whether the kernel told all up to the last reading.
  bool tells_stolen() const { return tells_stolen_; }
  /// Since the reading before.
  Progress read();
  /// Ditto, and the next reading is since the one before all the same. For signal handlers, of any thread.
  Progress peek() const;

 private:
  std::int64_t run_delay_ns();

  int file_ = -1;
  FileIdentity identity_;
  clockid_t clock_ = CLOCK_THREAD_CPUTIME_ID;  ///< the same for other threads
  bool tells_stolen_ = false;
  std::int64_t ran_ns_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace loadshare::profile
