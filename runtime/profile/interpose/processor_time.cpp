#include "runtime/profile/interpose/processor_time.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "runtime/profile/interpose/ticks.hpp"

namespace loadshare::profile {

void ProcessorTime::open() {
  file_ = out_of_the_way(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  tells_stolen_ = file_ >= 0 && identity_.take(file_);
  read();
}

/// The second number of /proc/thread-self/schedstat. The first, time on the processor, is as old as the last
/// timer tick, so that is asked of the thread's clock.
std::int64_t ProcessorTime::run_delay_ns() {
  std::array<char, 96> text{};
  unsigned long long ran = 0;
  long long waited = 0;
  if (identity_.is_of(file_) && pread(file_, text.data(), text.size() - 1, 0) > 0 &&
      std::sscanf(text.data(), "%llu %lld", &ran, &waited) == 2)
    return waited;
  tells_stolen_ = false;
  return waited_ns_;
}

/// To ask for the thread's time makes the kernel see that its turn is over: who computes beside another
/// program mostly loses the processor right then. So that comes first, and how long it waited is asked
/// afterwards.
Progress ProcessorTime::read() {
  if (!tells_stolen_) return {};
  const std::int64_t waited_before = waited_ns_;
  const std::int64_t ran_before = ran_ns_;
  ran_ns_ = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  waited_ns_ = run_delay_ns();
  return {ran_ns_ - ran_before, waited_ns_ - waited_before};
}

}  // namespace loadshare::profile
