#include "runtime/host/scheduling.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <utility>

namespace loadshare {
namespace {

/// The kernel's struct sched_attr in its first version, which glibc does not declare.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;  // of a normal thread: the length of its turn
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};

constexpr unsigned long short_slack_ns = 1000;
constexpr std::uint64_t short_turn_ns = 100'000;

/// Sets the length of this thread's turns and returns what it was; nothing where it has none to set.
std::optional<std::uint64_t> set_turn(std::uint64_t turn_ns) {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return std::nullopt;
  if (attributes.policy != SCHED_OTHER) return std::nullopt;  // elsewhere `runtime` means something else
  const std::uint64_t before_ns = std::exchange(attributes.runtime_ns, turn_ns);
  if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0) return std::nullopt;
  return before_ns;
}

}  // namespace

std::optional<double> most_taken_s() {
  std::ifstream file("/proc/thread-self/schedstat"), stat("/proc/stat");
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
  CPU_ZERO(&before_);
  if (!cpu || *cpu < 0 || *cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(*cpu), &only);
  is_pinned_ = sched_setaffinity(0, sizeof(only), &only) == 0;
}

PinnedThread::~PinnedThread() {
  if (is_pinned_) sched_setaffinity(0, sizeof(before_), &before_);
}

cpu_set_t allowed_cpu_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) CPU_ZERO(&set);
  return set;
}

std::vector<int> allowed_cpus() {
  const cpu_set_t set = allowed_cpu_set();
  std::vector<int> cpus;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
  return cpus;
}

int allowed_cores() {
  const cpu_set_t set = allowed_cpu_set();
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
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
