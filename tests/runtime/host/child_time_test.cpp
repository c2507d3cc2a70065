#include "runtime/host/child_time.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/host/clock.hpp"

namespace loadshare {
namespace {

/// Runs a child that uses this much processor time, and waits for it.
void run_child(double seconds) {
  const pid_t child = fork();
  if (child == 0) {
    while (thread_cpu_s() < seconds) {
    }
    _exit(0);
  }
  ASSERT_GT(child, 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
}

constexpr double much = 1e9;
constexpr double close_s = 10e-3;  // the kernel's ticks, if it counts in ticks, and the time of a fork

TEST(ChildTime, IsCreditedOnce) {
  run_child(0.05);  // before the counting
  ChildTime children(1);
  EXPECT_EQ(children.take(much), 0);
  run_child(0.03);
  EXPECT_NEAR(children.take(much), 0.03, close_s);
  EXPECT_EQ(children.take(much), 0);
}

TEST(ChildTime, ExcessTimeOfOneWorkerIsDropped) {
  ChildTime children(1);
  run_child(0.05);
  EXPECT_NEAR(children.take(0.01), 0.01, 1e-9);
  EXPECT_EQ(children.take(much), 0);
}

TEST(ChildTime, ExcessTimeOfSeveralWorkersIsLeftToTheOthers) {
  ChildTime children(2);
  run_child(0.05);
  EXPECT_NEAR(children.take(0.02), 0.02, 1e-9);
  EXPECT_NEAR(children.take(much), 0.03, close_s);
}

}  // namespace
}  // namespace loadshare
