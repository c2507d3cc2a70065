#include "runtime/load/load_process.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "tests/runtime/load/competing_worker.hpp"

namespace loadshare {
namespace {

/// Returns whether a process exists and is not a zombie.
bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return false;
  return text.substr(text.rfind(')')).find(" Z ") != 1;
}

bool ends_within(pid_t pid, double seconds) {
  for (const double end_s = monotonic_s() + seconds; monotonic_s() < end_s; test::sleep_s(0.01))
    if (!is_alive(pid)) return true;
  return !is_alive(pid);
}

LoadPlace place() {
  return {allowed_cpus().front(), 1};
}

TEST(LoadProcess, CarriesOutItsLoadAndReturnsMeasurements) {
  const LoadSpec spec = parse_load_spec("on=100ms,off=100ms,share=0.5");
  LoadProcess load(spec);
  test::LatenessProbe probe;
  const double begun_s = monotonic_s();
  load.arm(0, place(), begun_s);
  test::sleep_s(0.75);
  const double least_s = monotonic_s() - begun_s;
  const auto measure = load.stop();
  const double most_s = monotonic_s() - begun_s;  // an upper bound, which is larger on a busy machine
  ASSERT_TRUE(measure);
  const auto cycles = static_cast<double>(measure->cycles);
  const double late_s = probe.most_s();
  EXPECT_GE(cycles, std::ceil((least_s - late_s) / 0.2));
  EXPECT_LE(cycles, std::ceil(most_s / 0.2));
  const LoadPlan plan = spec.plan_for(0);
  EXPECT_GE(measure->on_s, plan.dose(0, least_s).on_s - cycles * late_s);
  EXPECT_LE(measure->on_s, plan.dose(0, most_s).on_s + cycles * late_s);
  EXPECT_GT(measure->cpu_s, 0.01);
}

TEST(LoadProcess, SharesAProcessorWithAWorker) {
  LoadProcess load(parse_load_spec("constant,share=0.5"));
  load.arm(0, place(), monotonic_s());
  const double worker_cpu_s = test::compute_as_worker(place().cpu, 1);
  const auto measure = load.stop();
  ASSERT_TRUE(measure);
  const double share = measure->cpu_s / (measure->cpu_s + worker_cpu_s);
  EXPECT_GT(share, 0.35);
  EXPECT_LT(share, 0.65);
}

TEST(LoadProcess, ServesOneRunAfterAnother) {
  LoadProcess load(parse_load_spec("constant"));
  for (int run = 0; run < 2; ++run) {
    load.arm(run, place(), monotonic_s());
    test::sleep_s(0.1);
    ASSERT_TRUE(load.stop());
  }
  EXPECT_EQ(load.stop()->cpu_s, 0) << "nothing was begun";
}

TEST(LoadProcess, EntersTheGroupThatALabKeepsForLoads) {
  std::string folder = testing::TempDir() + "loads-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  setenv(LoadProcess::group_variable, folder.c_str(), 1);
  {
    LoadProcess load(parse_load_spec("constant"));
    load.arm(0, place(), monotonic_s());
    ASSERT_TRUE(load.stop());
  }
  unsetenv(LoadProcess::group_variable);
  std::string who;
  std::ifstream(folder + "/cgroup.procs") >> who;
  EXPECT_EQ(who, "0") << "the writing process";
  std::filesystem::remove_all(folder);
}

TEST(LoadProcess, EndsWithItsObject) {
  std::optional<LoadProcess> load(parse_load_spec("constant"));
  load->arm(0, place(), monotonic_s());
  const pid_t pid = load->pid();
  EXPECT_TRUE(is_alive(pid));
  load.reset();
  EXPECT_FALSE(is_alive(pid));
}

TEST(LoadProcess, IgnoresInterruptsFromTheKeyboard) {
  LoadProcess load(parse_load_spec("constant"));
  load.arm(0, place(), monotonic_s());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) kill(load.pid(), signal);
  test::sleep_s(0.1);
  EXPECT_TRUE(load.stop());
}

TEST(LoadProcess, WaitsForItsAnswerDespiteSignals) {
  struct sigaction heed {
  }, before{};
  heed.sa_handler = [](int) {};
  sigaction(SIGUSR1, &heed, &before);
  LoadProcess load(parse_load_spec("constant"));
  load.arm(0, place(), monotonic_s());
  kill(load.pid(), SIGSTOP);
  std::thread caller([owner = pthread_self(), pid = load.pid()] {
    for (int call = 0; call < 5; ++call) {
      test::sleep_s(0.03);
      pthread_kill(owner, SIGUSR1);
    }
    kill(pid, SIGCONT);
  });
  EXPECT_TRUE(load.stop());
  caller.join();
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(LoadProcess, AKilledProcessHasNoMeasurements) {
  LoadProcess load(parse_load_spec("constant"));
  load.arm(0, place(), monotonic_s());
  kill(load.pid(), SIGKILL);
  EXPECT_FALSE(load.stop());
}

/// Forks a process that starts a busy load and waits to be killed. Returns the ids of both.
std::array<pid_t, 2> start_parent_of_load() {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return {};
  const pid_t parent = fork();
  if (parent == 0) {
    LoadProcess load(parse_load_spec("constant"));
    load.arm(0, place(), monotonic_s());
    const pid_t pid = load.pid();
    if (write(pipe_ends[1], &pid, sizeof(pid)) != sizeof(pid)) _exit(1);
    while (true) pause();
  }
  close(pipe_ends[1]);
  pid_t load = -1;
  if (read(pipe_ends[0], &load, sizeof(load)) != sizeof(load)) load = -1;
  close(pipe_ends[0]);
  return {parent, load};
}

TEST(LoadProcess, DoesNotOutliveAParentThatIsKilled) {
  const auto [parent, load] = start_parent_of_load();
  ASSERT_GT(load, 0);
  test::sleep_s(0.1);
  EXPECT_TRUE(is_alive(load));
  kill(parent, SIGKILL);
  EXPECT_EQ(waitpid(parent, nullptr, 0), parent);
  EXPECT_TRUE(ends_within(load, 10));
}

TEST(LoadProcess, ClosesTheFilesOfItsParent) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  LoadProcess load(parse_load_spec("constant"));
  load.arm(0, place(), monotonic_s());
  ASSERT_TRUE(load.stop());  // the process has closed them by now
  close(pipe_ends[1]);
  pollfd end{pipe_ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&end, 1, 2000), 1) << "a process still holds the pipe open";
  close(pipe_ends[0]);
}

}  // namespace
}  // namespace loadshare
