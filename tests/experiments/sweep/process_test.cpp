#include "experiments/sweep/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/host/clock.hpp"
#include "tests/experiments/sweep/temporary_folder.hpp"

namespace loadshare::sweep {
namespace {

TEST(OutputTail, KeepsTheLastLines) {
  OutputTail tail;
  EXPECT_EQ(tail.last_lines(), "");
  tail.append("1\n2\n\n3\n4");
  tail.append("x\n5\n6\n \n");
  EXPECT_EQ(tail.last_lines(), "2\n3\n4x\n5\n6");
}

TEST(OutputTail, IsBounded) {
  OutputTail tail;
  const std::string much(1 << 16, 'x');
  for (int i = 0; i < 100; ++i) tail.append(much);
  tail.append("end");
  EXPECT_EQ(tail.last_lines().size(), 2000u);
  EXPECT_TRUE(tail.last_lines().ends_with("xend"));
}

constexpr double long_s = 60;
constexpr double grace_s = 20;  // a test that waits for it needlessly takes longer than that

/// A process counts as ended if it is a zombie, because orphans may never be reaped.
bool is_running(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(stat, text) && text.find(") Z ") == std::string::npos;
}

bool ends_soon(pid_t pid) {
  for (const double end_s = monotonic_s() + 10; is_running(pid) && monotonic_s() < end_s;)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !is_running(pid);
}

class ProcessTest : public testing::Test {
 protected:
  Outcome shell(const std::string& script, double timeout_s = long_s) {
    return ProcessExecutor(
               is_interrupted, [this] { while_waiting(); }, patience_s)
        .run({"/bin/sh", "-c", script}, timeout_s);
  }

  double patience_s = grace_s;
  std::atomic<bool> is_interrupted = false;
  std::function<void()> while_waiting = [] {};
};

TEST_F(ProcessTest, GoodRuns) {
  const Outcome outcome = shell("echo hello; sleep 0.05");
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.error, "");
  EXPECT_GE(outcome.wall_s, 0.05);
  EXPECT_LT(outcome.wall_s, 5);
}

TEST_F(ProcessTest, FailuresSayWhy) {
  Outcome outcome = shell("echo out; echo first >&2; echo last >&2; exit 3");
  EXPECT_EQ(outcome.status, Status::failed);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.error, "first\nlast");
  EXPECT_EQ(shell("echo all is well; exit 1").error, "it ended with exit code 1 and wrote nothing to stderr");
  outcome = shell("kill -SEGV $$");
  EXPECT_EQ(outcome.exit_code, 139);
  EXPECT_EQ(outcome.error, "signal 11 ended it (Segmentation fault)");
}

TEST_F(ProcessTest, AProgramThatCannotBeStartedIsReported) {
  const Outcome outcome = ProcessExecutor(is_interrupted).run({"/nowhere/program"}, long_s);
  EXPECT_EQ(outcome.exit_code, 127);
  EXPECT_EQ(outcome.error, "cannot run '/nowhere/program' (no such file or directory)");
}

TEST_F(ProcessTest, MuchOutputNeitherBlocksNorStays) {
  const Outcome outcome = shell("head -c 20000000 /dev/zero | tr '\\0' x; echo end >&2; exit 1");
  EXPECT_EQ(outcome.error, "end");
}

TEST_F(ProcessTest, ATimeoutEndsTheWholeGroup) {
  const TemporaryFolder folder;
  const Outcome outcome = shell("sleep 100 & echo $! > " + folder.file("pid") + "; wait", 0.3);
  EXPECT_EQ(outcome.status, Status::timeout);
  EXPECT_EQ(outcome.error, "took longer than 300 ms");
  EXPECT_LT(outcome.wall_s, grace_s);
  EXPECT_TRUE(ends_soon(std::stoi(read_text(folder.file("pid")))));
}

TEST_F(ProcessTest, ProcessesThatALeaderLeavesAreKilled) {
  const TemporaryFolder folder;
  const Outcome outcome = shell("sleep 100 > /dev/null 2>&1 & echo $! > " + folder.file("pid"));
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_LT(outcome.wall_s, grace_s);
  EXPECT_TRUE(ends_soon(std::stoi(read_text(folder.file("pid")))));
}

TEST_F(ProcessTest, AProcessThatIgnoresSigtermIsKilled) {
  const TemporaryFolder folder;
  while_waiting = [&] { is_interrupted = std::filesystem::exists(folder.file("deaf")); };
  patience_s = 0.3;
  const Outcome outcome =
      shell("trap '' TERM; touch " + folder.file("deaf") + "; while true; do sleep 1; done");
  EXPECT_EQ(outcome.status, Status::interrupted);
  EXPECT_EQ(outcome.exit_code, 128 + SIGKILL);
  EXPECT_GE(outcome.wall_s, patience_s);
}

TEST_F(ProcessTest, AnInterruptEndsTheRun) {
  while_waiting = [this] { is_interrupted = true; };
  const Outcome outcome = shell("sleep 100");
  EXPECT_EQ(outcome.status, Status::interrupted);
  EXPECT_EQ(outcome.error, "interrupted");
  EXPECT_LT(outcome.wall_s, grace_s);
}

}  // namespace
}  // namespace loadshare::sweep
