#pragma once

#include <cstdint>

namespace loadshare::profile {

/// What became of a stretch of one thread's time, as the kernel tells it.
struct Lost {
  std::int64_t stolen_ns = 0;   ///< could have run, and others had the processor
  std::int64_t blocked_ns = 0;  ///< slept
};

/// Tells of the thread that made it how long it ran and how long it waited for a processor. A reading takes
/// about 1 us, so it is made where a stretch outside MPI was long: one in which a thread was preempted always
/// is.
class ProcessorTime final {
 public:
  static constexpr std::int64_t long_gap_ns = 500'000;
  static constexpr std::int64_t oldest_ns = 1'000'000;  ///< a reading that a stretch may be measured from

  void open();
  bool tells_stolen() const { return tells_stolen_; }
  void read();
  /// Of the stretch of `gap_ns` that ends now. Reads; the reading before was made at its begin or a little
  /// sooner.
  Lost lost_in(std::int64_t gap_ns);

 private:
  std::int64_t run_delay_ns();

  int file_ = -1;
  bool tells_stolen_ = false;
  std::int64_t ran_ns_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace loadshare::profile
