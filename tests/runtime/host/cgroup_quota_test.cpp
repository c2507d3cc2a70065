#include "runtime/host/cgroup_quota.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "runtime/host/scheduling.hpp"
#include "tests/french_numbers.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

/// An artificial root directory with the files of the quota.
class CgroupQuota : public ::testing::Test {
 protected:
  void SetUp() override { root_ = fs::path(::testing::TempDir()) / ("cgroup_" + std::to_string(getpid())); }
  void TearDown() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& content) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
  }

  fs::path root_;
};

TEST_F(CgroupQuota, VersionTwoUsesTheLowestOfAllLevels) {
  put("proc/self/cgroup", "0::/batch/job\n");
  put("sys/fs/cgroup/batch/cpu.max", "150000 100000\n");
  put("sys/fs/cgroup/batch/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 1.5);
}

TEST_F(CgroupQuota, VersionOneReadsItsOwnFiles) {
  put("proc/self/cgroup", "5:memory:/x\n2:cpu,cpuacct:/host1\n0::/\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu/host1/cpu.cfs_quota_us", "3000\n");
  put("sys/fs/cgroup/cpu/host1/cpu.cfs_period_us", "10000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 0.3);
  EXPECT_EQ(cgroup_cpu_limit(root_), (CpuLimit{0.3, 0.01}));
}

TEST_F(CgroupQuota, IsReadAsTheKernelWritesItInAnyLocale) {
  const test::FrenchNumbers french;
  put("proc/self/cgroup", "7:pids:/host1\n0::/batch\n");
  put("sys/fs/cgroup/batch/cpu.max", "150000 100000\n");
  put("sys/fs/cgroup/pids/host1/pids.max", "1077\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 1.5);
  EXPECT_EQ(cgroup_process_limit(root_), 1077u);
}

TEST_F(CgroupQuota, ProcessesAreLimitedByTheLowestOfAllLevels) {
  EXPECT_EQ(cgroup_process_limit(root_), std::nullopt);
  put("proc/self/cgroup", "0::/batch/job\n");
  put("sys/fs/cgroup/batch/pids.max", "120\n");
  put("sys/fs/cgroup/batch/job/pids.max", "max\n");
  EXPECT_EQ(cgroup_process_limit(root_), 120u);
  put("sys/fs/cgroup/batch/job/pids.max", "40\n");
  EXPECT_EQ(cgroup_process_limit(root_), 40u);
}

TEST_F(CgroupQuota, ProcessesAreLimitedByVersionOneToo) {
  put("proc/self/cgroup", "7:pids:/host1\n0::/\n");
  put("sys/fs/cgroup/pids/host1/pids.max", "77\n");
  EXPECT_EQ(cgroup_process_limit(root_), 77u);
}

TEST_F(CgroupQuota, ThePeriodIsThatOfTheLowestLimit) {
  put("proc/self/cgroup", "0::/batch/job\n");
  put("sys/fs/cgroup/batch/cpu.max", "50000 100000\n");
  put("sys/fs/cgroup/batch/job/cpu.max", "15000 20000\n");
  EXPECT_EQ(cgroup_cpu_limit(root_), (CpuLimit{0.5, 0.1}));
  put("sys/fs/cgroup/batch/job/cpu.max", "1000 20000\n");
  EXPECT_EQ(cgroup_cpu_limit(root_), (CpuLimit{0.05, 0.02}));
}

TEST_F(CgroupQuota, IsNothingWithoutALimitOrACgroup) {
  EXPECT_EQ(cgroup_cpu_quota(root_), std::nullopt);
  put("proc/self/cgroup", "0::/\nnonsense\n");
  put("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), std::nullopt);
  EXPECT_EQ(cgroup_cpu_limit(root_), std::nullopt);
}

TEST(KernelTick, IsTheCoarseClocksResolution) {
  EXPECT_EQ(tick_of_resolution(1e-3), 1e-3);
  EXPECT_EQ(tick_of_resolution(10e-3), 10e-3);
}

TEST(KernelTick, IsFourMillisecondsForAnImpossibleResolution) {
  EXPECT_EQ(tick_of_resolution(1e-9), 4e-3);  // in sandboxes
  EXPECT_EQ(tick_of_resolution(0), 4e-3);
  EXPECT_EQ(tick_of_resolution(1), 4e-3);
}

TEST(QuotaLook, IsTheKernelsTickUnlessALabChecksMoreOften) {
  const auto look_s = [](const char* value) {
    setenv(quota_look_variable, value, 1);
    const double found_s = quota_look_s();
    unsetenv(quota_look_variable);
    return found_s;
  };
  EXPECT_EQ(quota_look_s(), kernel_tick_s());
  EXPECT_EQ(look_s("0.0002"), 0.0002);
  for (const char* value : {"1", "0", "-1", "often", ""}) EXPECT_EQ(look_s(value), kernel_tick_s()) << value;
}

TEST(GrantedCores, AreAtLeastOneAndNoMoreThanAreAllowed) {
  EXPECT_GE(granted_cores(), 1);
  EXPECT_LE(granted_cores(), std::max(1, allowed_cores()));
}

TEST(GrantedCores, FollowTheQuotaRoundedUp) {
  EXPECT_EQ(granted_of(1.5, 8), 2);
  EXPECT_EQ(granted_of(2, 8), 2);
  EXPECT_EQ(granted_of(0.1, 8), 1);
  EXPECT_EQ(granted_of(64, 8), 8);
  EXPECT_EQ(granted_of(1, 0), 1);
}

TEST(KernelTick, IsPossibleOnThisKernel) {
  EXPECT_GE(kernel_tick_s(), 0.5e-3);
  EXPECT_LE(kernel_tick_s(), 20e-3);
}

}  // namespace
}  // namespace loadshare
