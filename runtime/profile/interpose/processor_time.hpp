#pragma once

#include <cstdint>

#include "runtime/profile/interpose/descriptors.hpp"
#include "runtime/profile/interpose/settlement.hpp"

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

 private:
  std::int64_t run_delay_ns();

  int file_ = -1;
  FileIdentity identity_;
  bool tells_stolen_ = false;
  std::int64_t ran_ns_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace loadshare::profile
