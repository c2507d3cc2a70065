#include "runtime/host/scheduling.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <sstream>

#include "tests/french_numbers.hpp"

namespace loadshare {
namespace {

/// The kernel's scheduling attributes of this thread, in 64-bit words. They include what a PunctualWaking
/// changes, in every version of the kernel.
struct Scheduling {
  int slack_ns = prctl(PR_GET_TIMERSLACK);
  std::array<std::uint64_t, 6> attributes{};

  Scheduling() { is_known = syscall(SYS_sched_getattr, 0, attributes.data(), sizeof(attributes), 0) == 0; }
  bool is_known = false;
  /// Returns the length of its turn, which in the kernel's struct sched_attr follows size, policy, flags,
  /// nice and priority.
  std::uint64_t turn_ns() const { return attributes[3]; }
  bool operator==(const Scheduling&) const = default;
};

TEST(PunctualWaking, EndsWithItsObject) {
  const Scheduling before;
  {
    const PunctualWaking punctual;
    const Scheduling meanwhile;
    EXPECT_EQ(meanwhile.slack_ns, 1000);
    // Kernels before 6.12 report 0.
    if (before.is_known && before.turn_ns() > 0) {
      EXPECT_EQ(meanwhile.turn_ns(), 100'000u);
    }
  }
  EXPECT_EQ(Scheduling(), before);
}

TEST(MostTaken, IsReadInAnyLocale) {
  if (!most_taken_s()) GTEST_SKIP() << "the kernel does not say";
  const test::FrenchNumbers french;
  EXPECT_TRUE(most_taken_s());
}

TEST(MostTaken, IncludesTheTimeOfAHypervisor) {
  const auto taken_s = [](const char* text) {
    std::istringstream stat(text);
    return taken_by_hypervisor_s(stat);
  };
  const double ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(taken_s("cpu  1 2 3 4 5 6 7 250 0 0\ncpu0 9 9 9 9 9 9 9 9 0 0\n"), 250 / ticks_a_second);
  EXPECT_EQ(taken_s("cpu  1 2 3 4\n"), 0);  // the kernel does not count it
  EXPECT_EQ(taken_s(""), 0);
}

}  // namespace
}  // namespace loadshare
