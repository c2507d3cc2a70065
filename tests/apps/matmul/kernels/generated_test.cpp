#include "apps/matmul/kernels/generated.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace loadshare::matmul {
namespace {

/// libxsmm starts once per process, so each test runs in a new process, which exits with 0 if it succeeds.
class GeneratedCodeDeathTest : public ::testing::Test {
 protected:
  GeneratedCodeDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// A page of zeros in memory, apart from all other memory.
char* new_zeros() {
  void* pages = mmap(nullptr, 3 * page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) std::abort();
  char* page = static_cast<char*>(pages) + page_bytes();
  if (mprotect(page, page_bytes(), PROT_READ | PROT_WRITE) != 0) std::abort();
  *static_cast<volatile char*>(page) = 0;
  return page;
}

bool is_in_memory(char* page) {
  unsigned char is = 0;
  return mincore(page, page_bytes(), &is) == 0 && (is & 1) != 0;
}

/// Memory that a second thread allocates while libxsmm starts stays intact, even if it still contains zeros.
bool leaves_other_memory_alone() {
  constexpr std::size_t most = 10'000;  // the system has room for some more ranges
  std::atomic<bool> has_begun = false, is_over = false;
  std::vector<char*> others;
  std::thread thread([&] {
    while (!is_over && others.size() < most) {
      others.push_back(new_zeros());
      has_begun = true;
    }
  });
  while (!has_begun) std::this_thread::yield();
  const GeneratedBlock<double> block(64, 64, 64);
  is_over = true;
  thread.join();
  return block.is_available() && std::all_of(others.begin(), others.end(), is_in_memory);
}

TEST_F(GeneratedCodeDeathTest, TouchesNoOtherMemory) {
  EXPECT_EXIT(_exit(leaves_other_memory_alone() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they track all memory accesses
/// Returns this process's own memory in bytes.
long resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == "RssAnon:" && status >> kilobytes) return 1024 * kilobytes;
  }
  return -1;
}

// Its tables have 10 MiB.
TEST_F(GeneratedCodeDeathTest, KeepsLittleMemory) {
  constexpr long most_bytes = 2L << 20;
  const auto grown_bytes = [] {
    const long before_bytes = resident_bytes();
    const GeneratedBlock<double> block(64, 64, 64);
    return block.is_available() && before_bytes > 0 ? resident_bytes() - before_bytes : most_bytes + 1;
  };
  EXPECT_EXIT(_exit(grown_bytes() <= most_bytes ? 0 : 1), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace loadshare::matmul
