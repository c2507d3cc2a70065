#include "runtime/host/caches.hpp"

#include <unistd.h>

namespace loadshare {
namespace {

// The C library returns 0 if the processor does not report the size, as some virtual ones and some of ARM do.
[[maybe_unused]] void ask(int name, Index& bytes) {
  const long answer = sysconf(name);
  if (answer > 0) bytes = answer;
}

}  // namespace

Caches caches_of_core() {
  Caches caches;
#ifdef _SC_LEVEL1_DCACHE_SIZE  // glibc's
  ask(_SC_LEVEL1_DCACHE_SIZE, caches.first_bytes);
  ask(_SC_LEVEL2_CACHE_SIZE, caches.second_bytes);
#endif
  return caches;
}

}  // namespace loadshare
