#include "profiler/preload/processor_time.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "profiler/preload/ticks.hpp"

namespace loadshare::profile {
namespace {

/// The second number of /proc/thread-self/schedstat; as sscanf would, but in a signal handler too.
std::optional<std::int64_t> second_number(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == text.npos) return std::nullopt;
  std::int64_t number = 0;
  std::size_t at = blank + 1;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    number = 10 * number + (text[at] - '0');
  return at > blank + 1 ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> run_delay_in(int file) {
  std::array<char, 96> text{};
  const ssize_t bytes = pread(file, text.data(), text.size(), 0);
  return bytes > 0 ? second_number({text.data(), static_cast<std::size_t>(bytes)}) : std::nullopt;
}

}  // namespace

void ProcessorTime::open() {
  file_ = out_of_the_way(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  tells_stolen_ = file_ >= 0 && identity_.take(file_);
  if (pthread_getcpuclockid(pthread_self(), &clock_) != 0) clock_ = CLOCK_THREAD_CPUTIME_ID;
  others_before_ns_ = all_others_cpu_ns();
  read();
}

/// The first number there, time on the processor, is as old as the last timer tick, so that is asked of the
/// thread's clock. Nothing where the program took the descriptor.
std::optional<std::int64_t> ProcessorTime::run_delay_ns() const {
  return identity_.is_of(file_) ? run_delay_in(file_) : std::nullopt;
}

/// To ask for the thread's time makes the kernel see that its turn is over: who computes beside another
/// program mostly loses the processor right then. So that comes first, and how long it waited is asked
/// afterwards.
Progress ProcessorTime::read() {
  if (!tells_stolen()) return {};
  const std::int64_t ran_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const std::optional<std::int64_t> waited_ns = run_delay_ns();
  if (!waited_ns) tells_stolen_.store(false, std::memory_order_relaxed);
  const std::int64_t waited_before = waited_ns_.load(std::memory_order_relaxed);
  const std::int64_t ran_before = ran_ns_.load(std::memory_order_relaxed);
  ran_ns_.store(ran_ns, std::memory_order_relaxed);
  waited_ns_.store(waited_ns.value_or(waited_before), std::memory_order_relaxed);
  return {ran_ns - ran_before, waited_ns.value_or(waited_before) - waited_before};
}

/// What it is since comes first: the thread may read meanwhile.
std::optional<Progress> ProcessorTime::peek() const {
  if (!tells_stolen()) return std::nullopt;
  const std::int64_t ran_before = ran_ns_.load(std::memory_order_relaxed);
  const std::int64_t waited_before = waited_ns_.load(std::memory_order_relaxed);
  const std::int64_t ran_ns = nanoseconds(clock_);
  const std::optional<std::int64_t> waited_ns = run_delay_ns();
  if (!waited_ns) return std::nullopt;
  return Progress{ran_ns - ran_before, *waited_ns - waited_before};
}

/// The process's comes first: else it would have what the thread runs meanwhile as others'.
std::int64_t ProcessorTime::all_others_cpu_ns() const {
  const std::int64_t process_ns = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  return process_ns - nanoseconds(clock_);
}

std::int64_t ProcessorTime::other_threads_cpu_ns() const {
  return std::max<std::int64_t>(0, all_others_cpu_ns() - others_before_ns_);
}

}  // namespace loadshare::profile
