#include "tests/many_processors.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace loadshare::test {
namespace {

int processors = 0;  // 0: as many as the machine has
std::vector<int> usable;
int refusal = 0;

bool is_too_small(std::size_t bytes) {
  return 8 * bytes < static_cast<std::size_t>(processors);
}

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

ManyProcessors::ManyProcessors(int count, std::vector<int> allowed) {
  processors = count;
  usable = std::move(allowed);
}
ManyProcessors::~ManyProcessors() {
  processors = 0;
}

SilentKernel::SilentKernel(int error) {
  refusal = error;
}
SilentKernel::~SilentKernel() {
  refusal = 0;
}

}  // namespace loadshare::test

// They replace the functions of the C library, because few machines have more than 1,024 processors.

extern "C" int sched_getaffinity(pid_t thread, std::size_t bytes, cpu_set_t* set) noexcept {
  using namespace loadshare::test;
  if (refusal != 0) return fail(refusal);
  std::memset(set, 0, bytes);
  if (processors == 0) return syscall(SYS_sched_getaffinity, thread, bytes, set) < 0 ? -1 : 0;
  if (is_too_small(bytes)) return fail(EINVAL);
  for (const int number : usable) CPU_SET_S(static_cast<std::size_t>(number), bytes, set);
  return 0;
}

extern "C" int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* set) noexcept {
  using namespace loadshare::test;
  if (processors == 0) return static_cast<int>(syscall(SYS_sched_setaffinity, thread, bytes, set));
  std::vector<int> wanted;
  for (int number = 0; number < std::min(processors, static_cast<int>(8 * bytes)); ++number)
    if (CPU_ISSET_S(static_cast<std::size_t>(number), bytes, set)) wanted.push_back(number);
  if (wanted.empty()) return fail(EINVAL);
  usable = std::move(wanted);
  return 0;
}
