#pragma once

#include <mpi.h>

#include <cstddef>

#include "apps/common/page_memory.hpp"
#include "apps/loadshare/calibrate/pair_exchange.hpp"
#include "models/calibration/calibration.hpp"
#include "runtime/transport/mpi/group.hpp"

namespace loadshare::tool {

/// With which every visit begins.
inline constexpr int round_trips_a_visit = 3;

/// What the sender wants of the receiver.
struct Order {
  Visit visit;
  bool is_last = false;  ///< and there is no visit any more
};

/// How often the system has taken the processor away from this process for another one.
long times_interrupted();

/// One end of a pair: memory for the messages under test, and what else the two say to each other.
///
/// The memory is in large pages where the system has some (which small ones it gives differs from launch to
/// launch, and with them what fits into the caches), all touched, and serves for every message. So a message
/// comes from the caches and goes to them as far as it fits there, as in programs that send again and again.
class PairLink final {
 public:
  /// Collective over the two; `pair` are ranks of the world.
  PairLink(const calibration::Pair& pair, Index most_bytes);

  void send_empty();
  void receive_empty();
  void send_bytes(const void* data, std::size_t bytes);
  void receive_bytes(void* data, std::size_t bytes);

  MPI_Comm comm() const { return comm_.get(); }
  int partner() const { return partner_; }
  std::byte* memory() { return memory_.data(); }

  static constexpr int message_tag = 1;
  /// What either end, 0 or 1, fills its memory with.
  static constexpr std::byte content_of(int end) { return static_cast<std::byte>(1 + end); }

 private:
  static constexpr int control_tag = 0;

  mpi::Communicator comm_;
  int partner_;
  PageMemory<std::byte> memory_;
};

}  // namespace loadshare::tool
