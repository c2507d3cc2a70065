#include "runtime/profile/interpose/processor_time.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "runtime/profile/interpose/ticks.hpp"

namespace loadshare::profile {

void ProcessorTime::open() {
  file_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  tells_stolen_ = file_ >= 0;
  read();
}

/// The second number of /proc/thread-self/schedstat. The first, time on the processor, is as old as the last
/// timer tick, so that is asked of the thread's clock.
std::int64_t ProcessorTime::run_delay_ns() {
  std::array<char, 96> text{};
  unsigned long long ran = 0;
  long long waited = 0;
  if (pread(file_, text.data(), text.size() - 1, 0) > 0 &&
      std::sscanf(text.data(), "%llu %lld", &ran, &waited) == 2)
    return waited;
  tells_stolen_ = false;
  return waited_ns_;
}

void ProcessorTime::read() {
  if (!tells_stolen_) return;
  waited_ns_ = run_delay_ns();
  ran_ns_ = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

Lost ProcessorTime::lost_in(std::int64_t gap_ns) {
  if (!tells_stolen_) return {};
  const std::int64_t waited_before = waited_ns_;
  const std::int64_t ran_before = ran_ns_;
  read();
  const std::int64_t stolen_ns = std::clamp<std::int64_t>(waited_ns_ - waited_before, 0, gap_ns);
  const std::int64_t ran_ns = std::min(ran_ns_ - ran_before, gap_ns - stolen_ns);
  return {stolen_ns, gap_ns - stolen_ns - ran_ns};
}

}  // namespace loadshare::profile
