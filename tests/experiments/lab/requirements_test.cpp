#include "experiments/lab/requirements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::lab {
namespace {

TEST(Requirements, NothingIsMissingOnACompleteMachine) {
  EXPECT_THAT(missing({}), testing::IsEmpty());
}

TEST(Requirements, AnOrdinaryUserLacksRights) {
  EXPECT_STREQ(refusal({.has_net_admin = false, .has_sys_admin = false}).what(),
               "a lab cannot be made here (missing: the right CAP_NET_ADMIN, the right CAP_SYS_ADMIN); run "
               "it as root, for example with sudo");
}

TEST(Requirements, ProgramsAndTheirPackage) {
  EXPECT_STREQ(
      refusal({.has_ip = false, .has_tc = false}).what(),
      "a lab cannot be made here (missing: the program ip, the program tc); install the package iproute2");
}

TEST(Requirements, KernelPartsAreNamed) {
  EXPECT_STREQ(
      refusal({.has_bridge = false, .has_veth = false, .has_tbf = false}).what(),
      "a lab cannot be made here (missing: the kernel's bridge, the kernel's veth cards, the kernel's token "
      "bucket filter (tbf)); load the kernel module, or use another kernel");
  EXPECT_STREQ(refusal({.has_namespaces = false}).what(),
               "a lab cannot be made here (missing: the kernel's network and host-name namespaces); load "
               "the kernel module, or use another kernel");
}

TEST(Requirements, AReadOnlyCgroupTree) {
  const Error error = refusal({.has_cpu_quota = false});
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_STREQ(error.what(),
               "a lab cannot be made here (missing: a writable control group with the cpu controller); in a "
               "container, mount /sys/fs/cgroup for writing");
}

}  // namespace
}  // namespace loadshare::lab
