#include "experiments/sweep/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "tests/experiments/sweep/temporary_folder.hpp"

namespace loadshare::sweep {
namespace {

constexpr double long_s = 60;

class ProcessTest : public testing::Test {
 protected:
  Outcome shell(const std::string& script, double timeout_s = long_s) {
    return ProcessExecutor(is_interrupted, [this] { while_waiting(); })
        .run({"/bin/sh", "-c", script}, timeout_s);
  }

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
  EXPECT_EQ(shell("echo all is well; exit 1").error, "it ended with exit code 1 and no word on stderr");
  outcome = shell("kill -SEGV $$");
  EXPECT_EQ(outcome.exit_code, 139);
  EXPECT_EQ(outcome.error, "it was ended by signal 11 (Segmentation fault)");
}

TEST_F(ProcessTest, WhatCannotBeStartedSaysSo) {
  const Outcome outcome = ProcessExecutor(is_interrupted).run({"/nowhere/program"}, long_s);
  EXPECT_EQ(outcome.exit_code, 127);
  EXPECT_EQ(outcome.error, "cannot start /nowhere/program: No such file or directory");
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
  EXPECT_LT(outcome.wall_s, 50);
  const pid_t sleeper = std::stoi(read_text(folder.file("pid")));
  for (int tries = 0; tries < 100 && kill(sleeper, 0) == 0; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  // Where nobody reaps orphans it may stay as a zombie, which runs no more.
  EXPECT_TRUE(kill(sleeper, 0) != 0 ||
              read_text("/proc/" + std::to_string(sleeper) + "/stat").find(") Z ") != std::string::npos);
}

TEST_F(ProcessTest, WhatALeaderLeavesBehindIsEnded) {
  const TemporaryFolder folder;
  const Outcome outcome = shell("sleep 100 > /dev/null 2>&1 & echo $! > " + folder.file("pid"));
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_LT(outcome.wall_s, 50);
  const pid_t sleeper = std::stoi(read_text(folder.file("pid")));
  for (int tries = 0; tries < 100 && kill(sleeper, 0) == 0; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(kill(sleeper, 0) != 0 ||
              read_text("/proc/" + std::to_string(sleeper) + "/stat").find(") Z ") != std::string::npos);
}

TEST_F(ProcessTest, AnInterruptEndsTheRun) {
  while_waiting = [this] { is_interrupted = true; };
  const Outcome outcome = shell("sleep 100");
  EXPECT_EQ(outcome.status, Status::interrupted);
  EXPECT_EQ(outcome.error, "interrupted");
  EXPECT_LT(outcome.wall_s, 50);
}

}  // namespace
}  // namespace loadshare::sweep
