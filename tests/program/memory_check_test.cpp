#include "program/memory_check.hpp"

#include <gtest/gtest.h>

#include "tests/apps/common/files.hpp"

namespace loadshare {
namespace {

using test::error_of;
using test::TemporaryDirectory;
using test::write_file;

constexpr Bytes gib = Bytes{1} << 30;

constexpr const char* advice = "take less";

class Memory : public testing::Test {
 protected:
  Memory() {
    std::filesystem::create_directories(root_ / "proc/self");
    std::filesystem::create_directories(root_ / "sys/fs/cgroup/memory/jobs/7");
    std::filesystem::create_directories(root_ / "sys/fs/cgroup/jobs/7");
    write_file(root_ / "proc/meminfo", "MemTotal: 25165824 kB\nMemFree: 1 kB\nMemAvailable:   16777216 kB\n");
  }
  void be_in(std::string_view groups) { write_file(root_ / "proc/self/cgroup", groups); }
  void put(const std::string& name, std::string_view content) {
    write_file(root_ / "sys/fs/cgroup" / name, content);
  }

  TemporaryDirectory directory_;
  std::filesystem::path root_ = directory_.path();
};

TEST_F(Memory, IsTheHostsAvailableMemory) {
  EXPECT_EQ(available_memory(root_).bytes, 16 * gib);
  EXPECT_EQ(error_of([&] { require_memory(16 * gib, "it", advice, root_); }), "no error");
  EXPECT_EQ(error_of([&] { require_memory(17 * gib, "a large product", advice, root_); }),
            "a large product needs 17 GiB of memory (16 GiB are available on this host); take less");
}

TEST_F(Memory, IsLimitedByVersion2Cgroups) {
  be_in("0::/jobs/7\n");
  put("jobs/7/memory.max", "max\n");
  put("jobs/7/memory.current", "5\n");
  EXPECT_EQ(available_memory(root_).bytes, 16 * gib);
  put("jobs/memory.max", "8589934592\n");
  put("jobs/memory.current", "3221225472\n");
  put("jobs/memory.stat", "anon 5\ninactive_file_other 7\ninactive_file 1073741824\n");
  EXPECT_EQ(available_memory(root_).bytes, 6 * gib);
  EXPECT_EQ(available_memory(root_).limited_by, "under the limit of cgroup /jobs");
}

TEST_F(Memory, IsLimitedByVersion1Cgroups) {
  be_in("9:cpu,cpuacct:/\n4:memory:/jobs/7\n0::/\n");
  put("memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("memory/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(available_memory(root_).bytes, 16 * gib);
  put("memory/jobs/7/memory.limit_in_bytes", "4294967296\n");
  put("memory/jobs/7/memory.usage_in_bytes", "4294967296\n");
  EXPECT_EQ(available_memory(root_).bytes, 0U);
  put("memory/jobs/7/memory.stat", "inactive_file 5\ntotal_inactive_file 1073741824\n");
  EXPECT_EQ(available_memory(root_).bytes, gib);
}

TEST_F(Memory, IsLimitedInAContainerThatSeesOnlyItsOwnRoot) {
  be_in("0::/system.slice/docker-abc.scope\n");
  put("memory.max", "1073741824\n");
  put("memory.current", "0\n");
  EXPECT_EQ(available_memory(root_).bytes, gib);
}

TEST_F(Memory, CountsAsSufficientIfNothingIsKnown) {
  const std::filesystem::path nothing = root_ / "no";
  EXPECT_EQ(error_of([&] { require_memory(1000 * gib, "it", advice, nothing); }), "no error");
  EXPECT_EQ(error_of([&] { require_memory(too_many_bytes, "it", advice, nothing); }),
            "it needs more than 16 EiB of memory (no machine has that); take less");
}

TEST_F(Memory, OfThisMachineIsKnown) {
  const AvailableMemory here = available_memory();
  EXPECT_GT(here.bytes, 0U);
  EXPECT_LT(here.bytes, too_many_bytes);
}

TEST_F(Memory, InAFileSystemIsItsFreeSpace) {
  RoomReservation room(directory_.path());
  EXPECT_EQ(error_of([&] { reserve_space(room, 1, "it"); }), "no error");
  EXPECT_TRUE(error_of([&] {
                reserve_space(room, Bytes{1} << 62, "a host's copy of A");
              }).starts_with("a host's copy of A needs 4 EiB in " + directory_.path() + " ("));
  RoomReservation nowhere("/no/such");
  EXPECT_EQ(error_of([&] { reserve_space(nowhere, 1, "it"); }),
            "it needs 1 byte in /no/such (no such file or directory)");
}

}  // namespace
}  // namespace loadshare
