#include "runtime/host/scheduling.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include "base/io/system_file.hpp"

namespace loadshare {
namespace {

/// The kernel's struct sched_attr in its first version, which glibc does not declare.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;  // for a normal thread: the length of its turn
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};

constexpr unsigned long short_slack_ns = 1000;
constexpr std::uint64_t short_turn_ns = 100'000;

/// Sets the length of this thread's turns. Returns the earlier length; nothing if it cannot be set.
std::optional<std::uint64_t> set_turn(std::uint64_t turn_ns) {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return std::nullopt;
  // With other policies `runtime` has another meaning.
  if (attributes.policy != SCHED_OTHER) return std::nullopt;
  const std::uint64_t before_ns = std::exchange(attributes.runtime_ns, turn_ns);
  if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0) return std::nullopt;
  return before_ns;
}

/// A mask for the kernel. A cpu_set_t has 1,024 processors; consecutive ones form a larger mask.
using KernelMask = std::vector<cpu_set_t>;

std::size_t size_of(const KernelMask& mask) {
  return mask.size() * sizeof(cpu_set_t);
}

/// Returns the processors that the kernel allows the calling thread; nothing if it does not report them. The
/// kernel refuses a mask that is too small for the machine with EINVAL.
std::optional<ProcessorSet> kernels_set() {
  constexpr std::size_t most_sets = 1024;
  for (KernelMask mask(1); mask.size() <= most_sets; mask.resize(2 * mask.size())) {
    const std::size_t bytes = size_of(mask);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) {
      ProcessorSet set;
      for (int number = 0; number < static_cast<int>(CPU_SETSIZE * mask.size()); ++number)
        if (CPU_ISSET_S(static_cast<std::size_t>(number), bytes, mask.data())) set.add(number);
      return set;
    }
    if (errno != EINVAL) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> most_taken_s() {
  std::ifstream file = system_file("/proc/thread-self/schedstat"), stat = system_file("/proc/stat");
  double ran_ns = 0, waited_ns = 0;
  if (!(file >> ran_ns >> waited_ns) || ran_ns == 0) return std::nullopt;
  return waited_ns * 1e-9 + taken_by_hypervisor_s(stat);
}

double taken_by_hypervisor_s(std::istream& proc_stat) {
  constexpr int times_before = 7;  // user, nice, system, idle, waiting for a disk, two kinds of interrupts
  std::string name;
  double ticks = 0;
  proc_stat >> name;
  for (int i = 0; i <= times_before; ++i) proc_stat >> ticks;
  return proc_stat && name == "cpu" ? ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

PinnedThread::PinnedThread(std::optional<int> cpu) {
  if (!cpu || *cpu < 0) return;
  before_ = kernels_set();
  is_pinned_ = before_ && run_on(ProcessorSet(std::array{*cpu}));
}

PinnedThread::~PinnedThread() {
  if (is_pinned_) run_on(*before_);
}

ProcessorSet allowed_processors() {
  if (std::optional<ProcessorSet> set = kernels_set()) return *std::move(set);
  ProcessorSet online;
  const long count = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  for (int number = 0; number < count; ++number) online.add(number);
  return online;
}

std::vector<int> allowed_cpus() {
  return allowed_processors().numbers();
}

int allowed_cores() {
  return allowed_processors().count();
}

bool run_on(const ProcessorSet& processors) {
  const std::vector<int> numbers = processors.numbers();
  const std::size_t largest = numbers.empty() ? 0 : static_cast<std::size_t>(numbers.back());
  KernelMask mask(largest / CPU_SETSIZE + 1);
  const std::size_t bytes = size_of(mask);
  for (const int number : numbers) CPU_SET_S(static_cast<std::size_t>(number), bytes, mask.data());
  return sched_setaffinity(0, bytes, mask.data()) == 0;
}

PunctualWaking::PunctualWaking()
    : slack_ns_(static_cast<unsigned long>(prctl(PR_GET_TIMERSLACK))), turn_ns_(set_turn(short_turn_ns)) {
  prctl(PR_SET_TIMERSLACK, short_slack_ns);
}

PunctualWaking::~PunctualWaking() {
  prctl(PR_SET_TIMERSLACK, slack_ns_);
  if (turn_ns_) set_turn(*turn_ns_);
}

}  // namespace loadshare
