#include "experiments/lab/control_groups.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/lab/fake_root.hpp"
#include "tests/experiments/lab/sample_lab.hpp"

namespace loadshare::lab {
namespace {

TEST(ControlGroups, Version1KeepsQuotaAndPeriodInTwoFiles) {
  const FakeRoot root;
  ControlGroups({GroupVersion::v1, root.path() / "lab"}).make(sample_lab().plan);
  EXPECT_EQ(root.read("lab/host.slow/cpu.cfs_period_us"), "10000");
  EXPECT_EQ(root.read("lab/host.slow/cpu.cfs_quota_us"), "1000");
  EXPECT_EQ(root.read("lab/host.fast/cpu.cfs_quota_us"), "3000");
  EXPECT_EQ(root.read("lab/cpu.shares"), "2048");
  EXPECT_EQ(root.read("lab/daemons/cpu.cfs_quota_us"), "");
}

TEST(ControlGroups, Version2KeepsThemInOneAndHandsTheControllerOn) {
  const FakeRoot root;
  ControlGroups({GroupVersion::v2, root.path() / "lab"}).make(sample_lab().plan);
  EXPECT_EQ(root.read("lab/cgroup.subtree_control"), "+cpu");
  EXPECT_EQ(root.read("lab/host.slow/cpu.max"), "1000 10000");
  EXPECT_EQ(root.read("lab/host.slow/cgroup.subtree_control"), "+cpu") << "ranks and load weigh alike in it";
  EXPECT_EQ(root.read("lab/host.fast/cpu.max"), "3000 10000");
  EXPECT_EQ(root.read("lab/cpu.weight"), "200");
  EXPECT_EQ(root.read("lab/daemons/cpu.max"), "");
}

TEST(ControlGroups, RanksAndLoadOfAHostHaveAGroupEach) {
  const FakeRoot root;
  const ControlGroups groups({GroupVersion::v1, root.path() / "lab"});
  groups.make(sample_lab().plan);
  EXPECT_TRUE(std::filesystem::is_directory(root.path() / "lab/host.slow/ranks"));
  EXPECT_EQ(groups.load_folder("slow"), root.path() / "lab/host.slow/load");
  EXPECT_TRUE(std::filesystem::is_directory(groups.load_folder("slow")));
  groups.enter_host("slow");
  EXPECT_EQ(root.read("lab/host.slow/ranks/cgroup.procs"), std::to_string(getpid()));
  groups.enter_beat("fast");
  EXPECT_EQ(root.read("lab/host.fast/beat/cgroup.procs"), std::to_string(getpid()));
  EXPECT_TRUE(groups.has_this_process());
}

TEST(ControlGroups, CountsTheProcessesInsideButTheBeat) {
  const FakeRoot root;
  root.write("lab/host.slow/ranks/cgroup.procs", "12\n13\n");
  root.write("lab/host.slow/load/cgroup.procs", "14\n");
  root.write("lab/host.slow/beat/cgroup.procs", "15\n");
  const ControlGroups groups({GroupVersion::v1, root.path() / "lab"});
  EXPECT_EQ(groups.processes("slow"), 3u);
  EXPECT_EQ(groups.processes("fast"), 0u);
}

TEST(ControlGroups, RemovingMissingGroupsIsNoError) {
  const FakeRoot root;
  EXPECT_NO_THROW(ControlGroups({GroupVersion::v1, root.path() / "lab"}).remove());
}

constexpr const char* v1_mounts =
    "20 1 0:18 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "21 1 0:19 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n";
constexpr const char* v2_mounts =
    "30 1 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(GroupPlace, Version1InTheCallersOwnGroup) {
  const FakeRoot root;
  root.write("proc/self/mountinfo", v1_mounts);
  root.write("proc/self/cgroup", "4:memory:/elsewhere\n3:cpu,cpuacct:/user/me\n0::/\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/user/me/cpu.cfs_quota_us", "-1\n");
  const auto place = find_group_place(root.path());
  ASSERT_TRUE(place);
  EXPECT_EQ(place->version, GroupVersion::v1);
  EXPECT_EQ(place->folder, root.path() / "sys/fs/cgroup/cpu,cpuacct/user/me");
}

TEST(GroupPlace, Version1InAContainerThatSeesAPartOfTheTree) {
  const FakeRoot root;
  root.write("proc/self/mountinfo", "21 1 0:19 /docker/ab /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  root.write("proc/self/cgroup", "3:cpu:/docker/ab\n");
  root.write("sys/fs/cgroup/cpu/cpu.shares", "1024\n");
  const auto place = find_group_place(root.path());
  ASSERT_TRUE(place);
  EXPECT_EQ(place->folder, root.path() / "sys/fs/cgroup/cpu");
}

void write_v2_group(const FakeRoot& root, const std::string& group, const std::string& handed_on,
                    const std::string& processes) {
  const std::string folder = "sys/fs/cgroup/" + group;
  root.write(folder + "cgroup.controllers", "cpuset cpu io\n");
  root.write(folder + "cgroup.subtree_control", handed_on);
  root.write(folder + "cgroup.procs", processes);
}

TEST(GroupPlace, Version2InTheNearestGroupThatHandsTheControllerOn) {
  const FakeRoot root;
  root.write("proc/self/mountinfo", v2_mounts);
  root.write("proc/self/cgroup", "0::/user.slice/session\n");
  write_v2_group(root, "", "cpu memory\n", "1\n");
  write_v2_group(root, "user.slice/", "cpu\n", "");
  write_v2_group(root, "user.slice/session/", "", "77\n");  // has processes, so it may not hand on
  const auto place = find_group_place(root.path());
  ASSERT_TRUE(place);
  EXPECT_EQ(place->version, GroupVersion::v2);
  EXPECT_EQ(place->folder, root.path() / "sys/fs/cgroup/user.slice");
}

TEST(GroupPlace, Version2AsksTheTopmostGroupToHandItOn) {
  const FakeRoot root;
  root.write("proc/self/mountinfo", v2_mounts);
  root.write("proc/self/cgroup", "0::/\n");
  write_v2_group(root, "", "", "1\n77\n");
  const auto place = find_group_place(root.path());
  ASSERT_TRUE(place);
  EXPECT_EQ(root.read("sys/fs/cgroup/cgroup.subtree_control"), "+cpu");
}

TEST(GroupPlace, NothingWhereNoHierarchyHasTheController) {
  const FakeRoot root;
  EXPECT_FALSE(find_group_place(root.path())) << "no hierarchy";
  root.write("proc/self/mountinfo", v2_mounts);
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/cgroup.controllers", "memory\n");
  EXPECT_FALSE(find_group_place(root.path())) << "version 2 without cpu, as beside version 1";
}

}  // namespace
}  // namespace loadshare::lab
