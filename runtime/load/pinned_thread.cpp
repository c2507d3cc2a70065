#include "runtime/load/pinned_thread.hpp"

namespace loadshare {

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

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
  return cpus;
}

}  // namespace loadshare
