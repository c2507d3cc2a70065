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

/// Parses the second number of /proc/thread-self/schedstat. Unlike sscanf it may be called in a signal
/// handler.
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
  file_ = moved_to_high_number(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  is_stolen_known_ = file_ >= 0 && identity_.take(file_);
  if (pthread_getcpuclockid(pthread_self(), &clock_) != 0) clock_ = CLOCK_THREAD_CPUTIME_ID;
  others_before_ns_ = all_others_cpu_ns();
  read();
}

/// Returns the time that the thread waited for a processor; nothing if the program has reused the descriptor.
/// The first number in the file is only as recent as the last timer tick, so read() uses the thread's clock
/// instead.
std::optional<std::int64_t> ProcessorTime::run_delay_ns() const {
  return identity_.is_of(file_) ? run_delay_in(file_) : std::nullopt;
}

/// Reads the thread's clock first. That reading makes the kernel account the thread's turn, and a thread that
/// shares its processor often loses it at that moment. The waiting time is read afterwards and includes that
/// loss.
Progress ProcessorTime::read() {
  if (!is_stolen_known()) return {};
  const std::int64_t ran_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const std::optional<std::int64_t> waited_ns = run_delay_ns();
  if (!waited_ns) is_stolen_known_.store(false, std::memory_order_relaxed);
  const std::int64_t waited_before = waited_ns_.load(std::memory_order_relaxed);
  const std::int64_t ran_before = ran_ns_.load(std::memory_order_relaxed);
  ran_ns_.store(ran_ns, std::memory_order_relaxed);
  waited_ns_.store(waited_ns.value_or(waited_before), std::memory_order_relaxed);
  return {ran_ns - ran_before, waited_ns.value_or(waited_before) - waited_before};
}

/// Loads the previous reading first, because the thread may read in the meantime.
std::optional<Progress> ProcessorTime::peek() const {
  if (!is_stolen_known()) return std::nullopt;
  const std::int64_t ran_before = ran_ns_.load(std::memory_order_relaxed);
  const std::int64_t waited_before = waited_ns_.load(std::memory_order_relaxed);
  const std::int64_t ran_ns = nanoseconds(clock_);
  const std::optional<std::int64_t> waited_ns = run_delay_ns();
  if (!waited_ns) return std::nullopt;
  return Progress{ran_ns - ran_before, *waited_ns - waited_before};
}

/// Reads the process's clock first. Otherwise the time that the thread runs in between would count as the
/// others'.
std::int64_t ProcessorTime::all_others_cpu_ns() const {
  const std::int64_t process_ns = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  return process_ns - nanoseconds(clock_);
}

std::int64_t ProcessorTime::other_threads_cpu_ns() const {
  return std::max<std::int64_t>(0, all_others_cpu_ns() - others_before_ns_);
}

}  // namespace loadshare::profile
