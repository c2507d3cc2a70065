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
  EXPECT_EQ(root.read("lab/host.fast/cpu.max"), "3000 10000");
  EXPECT_EQ(root.read("lab/cpu.weight"), "200");
  EXPECT_EQ(root.read("lab/daemons/cpu.max"), "");
}

TEST(ControlGroups, CountsTheProcessesInside) {
  const FakeRoot root;
  root.write("lab/host.slow/cgroup.procs", "12\n13\n");
  const ControlGroups groups({GroupVersion::v1, root.path() / "lab"});
  EXPECT_EQ(groups.processes("slow"), 2u);
  EXPECT_EQ(groups.processes("fast"), 0u);
}

TEST(ControlGroups, RemovingWhatIsNotThereIsNoError) {
  const FakeRoot root;
  EXPECT_NO_THROW(ControlGroups({GroupVersion::v1, root.path() / "lab"}).remove());
}

}  // namespace
}  // namespace loadshare::lab
